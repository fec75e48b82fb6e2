"""Makes the library of compiled kernels: Numba lowers, LLVM compiles for each level of CPU, a C compiler links.

python -m manikin.kernels.prebuild           # for this machine, beside the kernels; says so where nothing is to do
"""

"""What makes compiled code of the kernels: Numba lowers, LLVM compiles for a level of CPU, a C compiler links.

python -m manikin.toolchain           # the library for this machine, beside the kernels; says so where nothing is to do

Of this package the kernels import `digest` always, and where no library fits `demand`, which makes single entries.
"""

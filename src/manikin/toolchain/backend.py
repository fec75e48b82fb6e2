"""Second half of the build: bitcode optimised for one level of CPU, as an object file. Needs llvmlite alone.

All but the C interface is private, so that LLVM knows every call of a function and what a call gives does not depend on
what else is there.
"""

from __future__ import annotations

import llvmlite.binding as llvm

from manikin.toolchain.levels import level as level_of


def compile_object(bitcode: bytes, level: str) -> bytes:
    """The object file of this level."""
    machine = _machine(level)
    module = llvm.parse_bitcode(bitcode)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith("mk_"):
            function.linkage = "internal"
    _optimise(module, machine)
    return machine.emit_object(module)


def _machine(level: str) -> llvm.TargetMachine:
    """A target machine that makes position-independent code."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, cpu, _ = level_of(level)
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, opt=3, reloc="pic", codemodel="small"
    )


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Numba's own order: a cheap pass over everything, then the full one."""
    for cheap in (True, False):
        options = llvm.create_pipeline_tuning_options()
        options.speed_level = 0 if cheap else 3
        options.loop_vectorization, options.slp_vectorization = not cheap, False
        builder = llvm.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
        if cheap:
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.run(module, builder)

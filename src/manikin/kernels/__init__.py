"""All compiled code, arrays in and arrays out: memory, math, tree, rows, searches, levels, projection, closed forms.

`jit` has the decorator, `gpu` has those for graphics cards; the tool chain compiles them (`manikin.toolchain`).
"""

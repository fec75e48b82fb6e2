"""All compiled code, arrays in and arrays out: memory, math, tree, rows, searches, levels, projection, closed forms.

`jit` has the decorator and the cache, `warmup` compiles ahead, `gpu` has those for graphics cards.
"""

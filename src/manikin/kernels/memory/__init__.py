"""How a problem lies in memory: views, SIMD lanes, the layout of its arrays, targets and paths of a call."""

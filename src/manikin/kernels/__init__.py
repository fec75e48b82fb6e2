"""All compiled code: sweeps over the tree, terms of goals, second derivatives, the active set, the method."""

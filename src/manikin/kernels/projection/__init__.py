"""The projection method of Zhao and Badler (1989), its active set, and the way into infeasible starts."""

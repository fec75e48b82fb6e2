"""OpenSim's files: models, marker sets, setup files of its tools, tables of motions."""

from manikin.formats.opensim.model import OsimModel, load_osim, read_osim

__all__ = ["OsimModel", "load_osim", "read_osim"]

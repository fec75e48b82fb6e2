"""Light, ground and the first look: a quiet room for one figure."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np

SKY = (214, 226, 240)
FLOOR = (226, 223, 216)
# The lowest height of a camera that is left alone, metres, and the seconds without a move after which it is.
EYE = 0.05
STILL = 0.4
# The least way across from a camera that was lifted to what it looks at.
MARGIN = 0.3


def set_stage(server: Any, *, shadows: bool = True) -> None:
    """Lights and ground."""
    scene = server.scene
    scene.world_axes.visible = False
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(None)
    scene.add_light_hemisphere(
        "/stage/sky",
        sky_color=(255, 255, 255),
        ground_color=(196, 188, 178),
        intensity=1.5,
        position=(0.0, 0.0, 4.0),
    )
    # A spot light has one shadow map where the sun of viser has three: twice the pictures a second without a GPU.
    scene.add_light_spot(
        "/stage/lamp",
        color=(255, 246, 232),
        intensity=95.0,
        angle=0.6,
        penumbra=0.7,
        cast_shadow=shadows,
        position=(2.6, -1.7, 5.0),
        direction=(-2.6, 1.7, -4.1),
    )
    scene.add_light_directional(
        "/stage/fill", color=(214, 228, 255), intensity=0.7, position=(-1.5, 3.0, 1.8)
    )
    scene.add_grid(
        "/stage/ground",
        width=8.0,
        height=8.0,
        cell_size=0.25,
        section_size=1.0,
        cell_color=(205, 203, 198),
        section_color=(180, 178, 174),
        plane_color=FLOOR,
        plane_opacity=1.0,
        shadow_opacity=0.35,
        fade_distance=14.0,
        fade_from="origin",
    )


def above_ground(position: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """Where a camera that is below the ground goes: up along the sphere about its target to the height of `EYE`; from
    straight below in front of it. None where it is above, or looks at what is below too."""
    if position[2] >= EYE or target[2] <= EYE:
        return None
    away = position - target
    drop = target[2] - EYE
    across = np.sqrt(max(float(away @ away) - drop**2, MARGIN**2))
    length = float(np.hypot(away[0], away[1]))
    direction = away[:2] / length if length > 1e-3 * across else np.array([1.0, 0.0])
    return np.array([*(target[:2] + across * direction), EYE])


def keep_above_ground(client: Any) -> None:
    """Bring a browser's camera back where one lets go of it below the ground, which then hides the figure."""
    waiting: asyncio.TimerHandle | None = None

    def lift(camera: Any) -> None:
        target = np.array(camera.look_at)
        above = above_ground(np.array(camera.position), target)
        if above is not None:
            with client.atomic():
                camera.position = above
                camera.look_at = target  # which goes along with the position

    async def moved(camera: Any) -> None:  # at once: what else this browser says waits for it
        nonlocal waiting
        if waiting is not None:
            waiting.cancel()
        waiting = asyncio.get_running_loop().call_later(STILL, lift, camera)

    client.camera.on_update(moved)


def first_look(server: Any, low: np.ndarray, high: np.ndarray) -> None:
    """The camera of browsers that come: all between two corners, from the front and a little to the left; it turns
    about their middle."""
    low = np.array([low[0], low[1], min(float(low[2]), 0.0)])
    middle = 0.5 * (low + high)
    size = max(float(np.linalg.norm(high - low)), 0.3)
    camera = server.initial_camera
    camera.look_at = tuple(middle)
    camera.position = tuple(middle + size * np.array([1.25, 0.58, 0.26]))
    camera.up = (0.0, 0.0, 1.0)
    camera.fov = 0.72

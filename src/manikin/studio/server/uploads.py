"""Bounds on uploads, before they are in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manikin.studio.extra import need


def bound_uploads(server: Any, most: int, refused: Callable[[int, str], None]) -> None:
    """Refuse files above ``most`` bytes, by what the browser says and by what it sends.

    refused: called with the client's number and the file's name.
    """
    messages = need("viser._messages")
    gui = server.gui
    inner = server._websock_server
    sent: dict[str, int] = {}

    def start(client: int, message: Any) -> None:
        if message.size_bytes > most or message.part_count > 4096:
            refused(client, message.filename)
            return
        sent[message.transfer_uuid] = 0
        gui._handle_file_transfer_start(client, message)

    def part(client: int, message: Any) -> None:
        if message.transfer_uuid not in sent:
            return
        sent[message.transfer_uuid] += len(message.content)
        if sent[message.transfer_uuid] > most:
            gui._current_file_upload_states.pop(message.transfer_uuid, None)
            del sent[message.transfer_uuid]
            refused(client, "the file")
            return
        gui._handle_file_transfer_part(client, message)
        if message.transfer_uuid not in gui._current_file_upload_states:
            sent.pop(message.transfer_uuid, None)

    for kind, handler in (
        (messages.FileTransferStartUpload, start),
        (messages.FileTransferPart, part),
    ):
        inner.unregister_handler(kind)
        inner.register_handler(kind, handler)

"""What a file says of the whole interface: title, version, licence, servers, tags, who may use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.documents.escape import collapsed, escaped
from rori_spiders.content.documents.openapi.blocks import code, in_cell
from rori_spiders.content.documents.openapi.left import Left

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.blocks import Blocks
    from rori_spiders.content.documents.openapi.values import Value


def info(blocks: Blocks, left: Left) -> None:
    """The file's own account: the title as the page's heading, then facts, then its description."""
    about = Left(left.object("info"))
    blocks.heading(1, about.words("title") or "API")
    dialect = "Swagger" if "swagger" in left.keys else "OpenAPI"
    facts = {
        "Format": f"{dialect} {left.text(dialect.lower())}",
        "Version": escaped(about.text("version")),
        "Summary": in_cell(about.words("summary")),
        "Terms of service": link(about.words("termsOfService")),
        "Contact": named(about, "contact"),
        "License": named(about, "license"),
        "Host": code(host) if (host := left.text("host")) else "",
        "Base path": code(base) if (base := left.text("basePath")) else "",
        "Schemes": ", ".join(map(code, left.scalars("schemes"))),
        "Takes": ", ".join(map(code, left.scalars("consumes"))),
        "Gives": ", ".join(map(code, left.scalars("produces"))),
        "Security": security(left),
        "More": documented(left),
    }
    blocks.facts(facts)
    blocks.prose(about.words("description"), 1)
    blocks.rest({"info": about.keys} if about.keys else {})


def servers(blocks: Blocks, left: Left) -> None:
    """The servers, each with its description and variables. An array that holds no servers is left where it was."""
    found = left.objects("servers")
    rows: list[list[str]] = []
    rest: dict[str, Value] = {}
    for server in found:
        inner = Left(server)
        url = inner.words("url")
        rows.append([code(url) if url else "", in_cell(inner.words("description"))])
        if inner.keys:
            rest[url or "server"] = inner.keys
    blocks.table(["Server", "Description"], rows)
    blocks.rest(rest)


def tags(blocks: Blocks, left: Left) -> None:
    found = [Left(tag) for tag in left.objects("tags")]
    if found:
        blocks.heading(2, "Tags")
        words = ["name", "description"]
        blocks.table(
            ["Tag", "Description", "More"],
            [[*(in_cell(tag.words(key)) for key in words), documented(tag)] for tag in found],
        )
        blocks.rest({f"tag {number}": tag.keys for number, tag in enumerate(found, 1) if tag.keys})


def security(left: Left) -> str:
    """The requirements: any one of them will do. An empty array asks for nothing."""
    if left.keys.get("security") == []:
        left.any("security")
        return "none"
    ways = []
    for requirement in left.objects("security"):
        names = []
        for name, scopes in requirement.items():
            asked = ", ".join(code(str(scope)) for scope in scopes) if isinstance(scopes, list) else ""
            names.append(f"{code(name)} ({asked})" if asked else code(name))
        ways.append(" and ".join(names) or "none")
    return " or ".join(ways)


def schemes(blocks: Blocks, given: list[tuple[str, Value]]) -> None:
    """How one proves who one is: each scheme with its description; flows and addresses as they are written."""
    if not given:
        return
    blocks.heading(2, "Security schemes")
    for name, scheme in given:
        left = Left(scheme)
        blocks.heading(3, name)
        keys = {"type": "Type", "in": "In", "name": "Name", "scheme": "Scheme", "bearerFormat": "Format", "$ref": "As"}
        facts = {label: left.text(key) for key, label in keys.items()}
        blocks.facts({label: code(value) for label, value in facts.items() if value})
        blocks.prose(left.words("description"), 3)
        blocks.rest(left)


def named(left: Left, key: str) -> str:
    """A contact or licence: its name, linked to its address; what else it says stands behind."""
    inner = Left(left.object(key))
    name, url = inner.words("name"), inner.words("url")
    others = [
        f"{other}: {inner.text(other)}" for other in list(inner.keys) if not isinstance(inner.keys[other], dict | list)
    ]
    if inner.keys:
        left.keys[key] = inner.keys
    first = f"{in_cell(escaped(name))} ({link(url)})" if name and url else in_cell(escaped(name)) or link(url)
    return ", ".join(part for part in (first, *map(escaped, others)) if part)


def documented(left: Left) -> str:
    """``externalDocs``: where more is written."""
    inner = Left(left.object("externalDocs"))
    words, url = in_cell(inner.words("description")), inner.words("url")
    if inner.keys:
        left.keys["externalDocs"] = inner.keys
    return f"{words} ({link(url)})" if words and url else words or link(url)


def link(address: str) -> str:
    """An address as an autolink; what is no address as text."""
    address = collapsed(address).strip()
    is_address = address.startswith(("http://", "https://")) and not set(address) & set(" <>")
    return f"<{address}>" if is_address else escaped(address)

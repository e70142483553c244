"""The web page for operators, and its API: what ledger and staging area hold, and the same acts as the commands.

``app.create_app`` makes it of what is ``Served``. A request passes ``guards``; a router in ``api`` checks what it asks,
calls one function of ``reading`` or of the rooms below, and gives a model of ``answers``.
"""

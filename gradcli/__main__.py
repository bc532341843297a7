"""``python -m gradcli`` and the ``gradcli`` command.

Start and end are hurried here and nowhere else: no garbage is collected while modules load, and the
process leaves without taking the interpreter apart, which costs 0.3 s once torch is loaded.
"""

from __future__ import annotations

import gc

gc.disable()


def main() -> None:
    """Run the command line of this process and leave."""
    import os
    import sys
    from contextlib import suppress

    try:
        from gradcli.cli import main as run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()

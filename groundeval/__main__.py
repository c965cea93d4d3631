"""`python -m groundeval`."""

from groundeval.cli.app import main

if __name__ == "__main__":
    main()

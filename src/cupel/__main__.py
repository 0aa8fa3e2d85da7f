"""`python -m cupel`."""

from cupel.cli import main

if __name__ == "__main__":
    main()

"""The optional packages that parts of cospot need, and the command that installs them."""

from __future__ import annotations

#: The extra of pyproject.toml that installs a package.
EXTRA_OF = {
    "dask": "dask",
    "distributed": "dask",
    "gymnasium": "learning",
    "ipywidgets": "notebook",
    "matplotlib": "plots",
    "pandas": "plots",
    "polars": "frames",
    "pyarrow": "frames",
    "sklearn": "lifetime",
    "statsmodels": "economy",
    "tqdm": "notebook",
    "yaml": "dask",
}


def install_hint(extra: str) -> str:
    """Return the commands that install an extra."""
    return f"pip install 'cospot[{extra}]', or in a clone of cospot: pip install '.[{extra}]'"


def missing_package(error: ImportError) -> ImportError | None:
    """Return an error that explains how to install a missing package; None: it is in no extra."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(package)
    if extra is None:
        return None
    return ImportError(f"this needs {package}: {install_hint(extra)}", name=package)

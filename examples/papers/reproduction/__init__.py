"""The common parts of the reproductions of papers: findings, tables, figures, one page of them.

A reproduction makes a `reproduction.page.Page`; `reproduction.command.run` writes it.
"""

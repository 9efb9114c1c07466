"""A hook of MkDocs: names, for screen readers, what the theme leaves without one."""

SEARCH = 'class="md-search" data-md-component="search" role="dialog"'


def on_post_page(output: str, **_: object) -> str:
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"')

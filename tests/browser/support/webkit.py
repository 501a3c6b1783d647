#!/usr/bin/python3
"""A window of WebKitGTK for WebKitWebDriver, whose own browser forgets everything when it ends.

Arguments: a folder for what the browser keeps, or nothing for a private window.
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")

from gi.repository import Gtk, WebKit2

NAME = "countersign-tests"


def data_of(folders):
    """Returns where pages keep their data."""
    if not folders:
        return WebKit2.WebsiteDataManager(is_ephemeral=True)
    return WebKit2.WebsiteDataManager(base_data_directory=f"{folders[0]}/data", base_cache_directory=f"{folders[0]}/cache")


def main(folders):
    """Shows a window for each view that the driver wants."""
    context = WebKit2.WebContext(website_data_manager=data_of(folders))
    context.set_automation_allowed(True)
    context.set_preferred_languages(["en-GB"])
    settings = WebKit2.Settings()
    settings.set_enable_write_console_messages_to_stdout(True)

    def create(_session):
        view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True, settings=settings)
        window = Gtk.Window()
        window.set_default_size(390, 760)
        window.add(view)
        window.show_all()
        view.connect("close", lambda _view: window.destroy())
        return view

    def started(_context, session):
        info = WebKit2.ApplicationInfo()
        info.set_name(NAME)
        session.set_application_info(info)
        session.connect("create-web-view", create)

    context.connect("automation-started", started)
    Gtk.main()


main(sys.argv[1:])

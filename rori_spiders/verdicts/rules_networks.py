"""Rules of what stands between us and the publisher: filters of providers, schools and companies, courts, portals.

Data only. Sources: ``ooni`` is OONI's list of fingerprints of block pages (with Citizen Lab's and Censored Planet's);
``wafw00f`` EnableSecurity's plugins; ``squid`` the error pages of Squid; ``captured`` pages saved by public projects.
"""

from __future__ import annotations

from rori_spiders.verdicts.rule import Rule

_THIS = r"(?:this|the|your|requested|that) (?:requested )?(?:web ?)?(?:site|page|location|content|url|domain|address)"
_BLOCKED = (
    rf"{_THIS}[^.]{{0,80}} (?:has been|have been|is|was) (?:currently )?(?:blocked|disabled|restricted|denied|"
    r"prohibited|filtered)[^.]{0,80}(?:order|court|pursuant|network|provider|regulation|policy|polic|administrator|"
    r"categor|kominfo|law\b|ministry|authorit|regulator|government|copyright|filter|settings|subscription|viewing)"
    r"|blocked by (?:an order|[\w ]{0,40}(?:parental controls?|safe|provider|your (?:network|organi[sz]ation|"
    r"administrator|isp|company)|contentkeeper|web ?filter|firewall policy))"
    r"|has been blocked by an order|forced to block the site|disabled by (?:an )?order|parental controls? (?:has|have)?"
    r" ?block|blocked (?:as per|in accordance with|due to (?:a )?(?:court|legal)|at the (?:request|direction) of)"
    r"|not accessible in (?:the )?(?:uae|your country)|prohibited under the internet access management"
    r"|content (?:that is )?prohibited (?:for|under|by|in)|in violation of [\w ]{0,40}national law|violates? the "
    r"national law|considered illegal according to|after technical analysis and legal consideration"
    r"|(?:has|have) blocked this (?:site|page)|settings (?:won't|prevent)[^.]{0,30}(?:access|allow)"
    r"|(?:access|pages) (?:to [\w ]{0,20})?(?:is|are) (?:blocked|restricted|not permitted) (?:for browsing|according "
    r"to "
    r"|by your|on this (?:network|computer|device))|restricted access to adult content|adult content filter is on"
    r"|need to be over 18 for this|recommended for persons over the age"
)
_SLAVIC = (
    r"доступ[^.]{0,80}(?:ограничен|заблокирован|запрещ|закрыт|приостановлен)|(?:ресурс|сайт|адрес)[^.]{0,60}"
    r"заблокирован|включ[её]н в (?:единый )?реестр|ограничить доступ|відвідування[^.]{0,60}заборонено|доступ[^.]{0,60}"
    r"(?:заборонено|заблоковано|обмежено)|dostęp[^.]{0,40}zablokowan|strona[^.]{0,40}zablokowan"
)
_ROMANCE = (
    r"(?:p[aá]gina|sitio|contenido|acceso|acesso|conteúdo|dominio)[^.]{0,60}(?:bloquead|restringid|no disponible por)"
    r"|(?:site|page|accès)[^.]{0,60}(?:bloqué|est interdit)|(?:sito|accesso|pagina)[^.]{0,60}(?:bloccat|sequestrat|"
    r"inibit|oscurat)|accesul[^.]{0,60}restric[țt]ionat"
)
_GERMANIC = (
    r"zugriff blockiert|(?:zugriff|seite|zugang|webseite)[^.]{0,60}(?:gesperrt|blockiert)|blokere(?:t|r)? for adgang|"
    r"adgang[^.]{0,60}(?:spærret|blokeret)|(?:siden|nettsiden)[^.]{0,40}(?:sperret|blokkert)|(?:sidan|webbplatsen)"
    r"[^.]{0,40}(?:spärrad|blockerad)|pääsy[^.]{0,40}estetty"
)
_INDONESIAN = (
    r"internet (?:sehat|positif|baik)|trustpositif|situs[^.]{0,80}(?:terlarang|di ?blokir|kategori|diakses|indikasi)|"
    r"akses[^.]{0,60}(?:di ?blokir|ditutup|dibatasi)|tidak bisa diakses melalui jaringan|negatif konten|makluman"
)
_OTHER_TONGUES = (
    r"erişim[^.]{0,40}engel|güvenli internet|telekomünikasyon iletişim başkanlığı|(?:الموقع|الصفحة|الرابط|الوصول)[^.]"
    r"{0,80}(?:محجوب|حجب|محظور|غير متاح|غير مسموح)|تم حجب|(?:سایت|تارنما)[^.]{0,60}(?:مسدود|فیلتر)|האתר[^.]{0,40}חסומ?"
    r"|ถูกระงับ|ระงับการ(?:เข้าถึง|เผยแพร่)|유해[^.]{0,20}차단|접속(?:이|을)? ?차단|불법[^.]{0,20}차단"
    r"|truy cập[^.]{0,30}bị chặn"
    r"|该?(?:网站|网页|页面)[^。]{0,20}(?:被屏蔽|被拦截|禁止访问)|閲覧(?:が|を)?(?:制限|規制|ブロック)|πρόσβαση[^.]{0,60}(?:αποκλεισ|απαγορ)"
)
_BLOCK_HOST = (
    r"(?:block(?:ed|page|ing|domain)?|blacklist|siteblocked|deny|denied|forbidden|zapret(?:-info)?|rkn|lawfilter|"
    r"erblock|subblock|censor|restrict(?:ed)?|warning|netsafe|internetpositif|internetbaik|cleanweb\d*|prohibit)"
)

# fmt: off
NETWORK_RULES: tuple[Rule, ...] = (
    Rule("rimon", "filtered", "rimon", "strong", "header",
         r"^rimon: *RWC_BLOCK", "edgi"),
    Rule("network-server", "filtered", None, "strong", "header",
         r"^server: *(?:Protected by WireFilter|Olfeo|Barracuda/NGFirewall|BarracudaHTTP|SonicWALL|Kerio Control "
         r"Embedded)|^x-app-url: *https?://blocked\.", "ooni"),
    Rule("network-host", "filtered", None, "strong", "url",
         r"^https?://(?:[\w.-]+\.)?(?:block\.opendns\.com|(?:malware|phish)\.opendns\.com|gateway\.zscaler\w*\.net|"
         r"notify\.bluecoat\.com|alert\.scansafe\.net|lighthouse\.du\.ae|warning\.or\.kr|internet-?positif\.\w+|"
         r"mercusuar\.uzone\.id|www\.webscanningservice\.com)(?:[:/?]|$)", "ooni"),
    Rule("network-address", "filtered", None, "medium", "url",
         rf"^https?://{_BLOCK_HOST}\.[\w.-]+|/(?:blockpage|deny_page|webadmin/deny|UserCheck/PortalMain|sgerror\.php)",
         "ooni", within=3000),
    Rule("network-frame", "filtered", None, "strong", "source",
         rf"^(?:https?:)?//(?:{_BLOCK_HOST}\.[\w.-]+|10\.10\.34\.3\d|\[d0:|www\.airtel\.in/dot|proxy\.etisalat\.ae|"
         r"www\.anonymous\.com\.bh)|/webadmin/deny|[?&](?:accessurl|dpid|dpruleid)=|blockpage\.[\w-]+\.\w|"
         r"notices/parental-controls|anonymous-content-lock", "ooni", within=400),
    Rule("network-title", "filtered", None, "medium", "title",
         r"^(?:blocked(?: url| page| site)?$|block ?page|zugriff blockiert|(?:web ?)?(?:page|site) (?:is )?blocked|"
         r"access (?:to this (?:site|page) )?(?:is )?blocked|site blocked|website blocked|oops! website blocked|"
         r"internet (?:sehat|positif)|negatif konten|netsafe|indosat\w* netsafe|block-system$|federal block$|"
         r"dominio[- ]no[- ]disponible|bloqueado por|acesso bloqueado|gateprotect content filter|content filter|"
         r"web filter|stop page|gdf stop page|notification: policy:|notificaci[oó]n: pol[ií]tica)"
         r"|settings prevent access|situs terlarang|internet sehat|доступ (?:ограничен|запрещ|закрыт|к [^|]{0,60}"
         r"(?:ограничен|закрыт))|유해차단|güvenli internet", "ooni", within=4000),
    Rule("network-heading", "filtered", None, "medium", "heading",
         r"(?:this )?content is locked|content lock\b|age-restricted content|web ?(?:page|site) (?:has been |is )?"
         r"blocked|(?:site|page|access|url) blocked|internet filter|family filter|parental control",
         "ooni", within=3000),
    Rule("network-text", "filtered", None, "medium", "text",
         _BLOCKED, "ooni", within=3000),
    Rule("network-text-slavic", "filtered", None, "medium", "text",
         _SLAVIC, "ooni"),
    Rule("network-text-romance", "filtered", None, "medium", "text",
         _ROMANCE, "ooni", within=1000),
    Rule("network-text-germanic", "filtered", None, "medium", "text",
         _GERMANIC, "ooni", within=1000),
    Rule("network-text-indonesian", "filtered", None, "medium", "text",
         _INDONESIAN, "ooni", within=3000),
    Rule("network-text-other", "filtered", None, "medium", "text",
         _OTHER_TONGUES, "ooni", within=1000),
    # A provider in the Emirates answers with its own page of offers, which says nothing of a block.
    Rule("network-lighthouse", "filtered", None, "strong", "text",
         r"\blighthouse\.du\.ae\b", "ooni", within=1000),
    # Products that name themselves
    Rule("network-product", "filtered", None, "medium", "text",
         r"fortiguard (?:intrusion|web|labs)|powered by fortiguard|web page blocked|cisco umbrella|internet security "
         r"by "
         r"zscaler|zscaler to protect you|content blocked by your organi[sz]ation|websense|forcepoint|bluecoat|blue "
         r"coat|barracuda web filter|sophos utm web protection|mcafee web gateway|netsweeper|lightspeed filter|securly|"
         r"pi-hole: your black hole|blocked by adguard|contentkeeper|squidguard|dansguardian|e2guardian|untangle|"
         r"watchguard firewall|sonicwall gateway|palo alto next generation|based on your organization['’]s access "
         r"policies|in accordance with company policy|because of its (?:content )?categori[sz]ation|"
         r"content (?:filter|filtering)[^.]{0,30}blocked|blocked url|\(policy_denied\)|system policy has denied",
         "wafw00f"),
    Rule("squid-denied", "filtered", "squid", "medium", "text",
         r"access control configuration prevents your request|cache access denied", "squid"),
    Rule("squid-error", "server_error", "squid", "medium", "text",
         r"while trying to retrieve the url|your cache administrator is", "squid"),
    Rule("firewall-portal", "filtered", None, "medium", "title",
         r"^(?:user portal|captive portal|network (?:login|authentication)|hotspot (?:login|access)|guest (?:wi-?fi|"
         r"access|portal)|wi-?fi login)\b", "captured", within=300),
)
# fmt: on

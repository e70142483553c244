"""Patterns of sentences that address a language model, grouped by what they do.

Each match costs a page a sentence that its readers were meant to have, so each pattern is narrow: what regulators
tell people (disregard, report, enter, answer, return) is in tests/fields/prompt_injection/test_instructions.py,
beside what is found.
"""

import re

_NEAR = r"(?:\W+\w+){0,6}?\W+"
#: Who is talked to.
_MODEL = (
    r"(?:(?:large )?language models?|(?:reader|extraction|reading) models?|AI(?: \w+)?|A\.I\.|LLMs?|GPT(?:-\w+)?"
    r"|chat ?gpt|claude|gemini|copilot"
    r"|chat ?bots?|bots?|crawlers?|scrapers?|parsers?|summari[sz]ers?|extractors?|annotators?|machines?|pipelines?"
    r"|(?:automat\w+|virtual|digital|intelligent|software) (?:agents?|assistants?|systems?|readers?|tools?|process\w*))"
)
#: "Assistant" alone is a person in most texts.
_MODEL_OR_ASSISTANT = (
    rf"(?:{_MODEL}|(?:helpful )?assistants?(?! (?:secretar|director|attorney|commission|administrat|general"
    r"|manag)))"
)
_ORDERS = r"(?:instructions?|prompts?|directions?|directives?|messages?|guidelines|commands?)"
_EARLIER = r"(?:above|previous|prior|preceding|earlier|foregoing|before|everything)"
_LAW = r"(?:sections?|paragraphs?|parts?|rules?|sentences?|provisions?|requirements?|amounts?|years?|periods?)"
_CONTENT = r"(?:numbers?|figures?|values?|text|content|data|lines?|statements?)"
_VALUE = r"[\"'`“«]?(?:[-$€£]*\d[\d.,]*%?|true|false|null|none|yes|no)[\"'`”»]?"
_SAY = (
    r"(?:answer|respond|reply|output|return|print)"
    r"(?: only| always| with| as| just| exactly| simply| in json)*(?: the (?:number|value|word|figure|\w+))?"
)
_SAYS = (
    r"(?:answer|respond|reply|output|return|print|report|record|say|state|extract|give|use|treat|take|read|write"
    r"|assume|put|set|label|enter)"
)
_MUST = (
    r"(?:must|should|shall|will|can|may|needs? to|ha(?:s|ve) to|(?:is|are) to|(?:is|are) (?:asked|told|required"
    r"|instructed) to|please)"
)
_ENDED = (
    r"(?=[.!;,\"'`”»]|\s*$| (?:for|to|in|as) (?:all|any|every|each|the|this|your)\b| (?:regardless|whatever"
    r"|instead|only)\b)"
)
#: Behind what a field is to be set to: more than behind an answer, for who sets a field names one.
_SET = rf"(?:{_ENDED}| (?:and|but|if|unless|when|wherever)\b)"
_BEGINS = r"(?:^|(?<=[.!?:;>(*|\"“])|(?<=[.!?:;>)*|\"”] ))[ \t>*_#`\[({<!/|-]{0,8}"
_ANSWER = r"(?:answers?|outputs?|responses?|repl(?:y|ies)|extractions?|json|labels?|completions?)"

_IGNORING = (
    # "Ignore all of your previous instructions", "ignore the above": not "disregard the preceding paragraph".
    rf"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|drop){_NEAR}{_ORDERS}\b",
    rf"\b(?:ignore|disregard|forget|discard)(?: \w+){{0,3}}? {_EARLIER}\b(?!,? {_LAW}\b)",
    r"\b(?:ignore|discard|skip|forget)(?: (?:all|any|the|every|of|these|those)){0,2} (?:other|remaining|rest\b)",
    (
        r"\b(?:trust|believe|read|extract|use) only (?:this|the (?:following|next|last)) (?:line|sentence|text|value"
        r"|number|figure|statement)"
    ),
    rf"\b(?:all|other|any) {_CONTENT}(?: \w+){{0,4}} (?:is|are) (?:wrong|fake|false|invalid)\b|\bexcept this one\b",
    (
        rf"\b(?:everything|all|text|{_CONTENT})(?: \w+)? above (?:is|are|was|were)(?: \w+){{0,3}}? (?:examples?"
        r"|placeholders?|fake|fictional|samples?|decoys?|training|void|test data|dummy)\b"
    ),
    (
        r"\b(?:supersedes?|overrides?|replaces?|cancels?) (?:the |any |all |your ){0,2}(?:\w+ )?(?:prompts?"
        r"|instructions?)\b"
    ),
    rf"\bprefer {_VALUE} over\b",
)
_ADDRESSING = (
    # "You are now an AI assistant", "Note to the language model", "If you are a machine".
    (
        r"\b(?:you are|act as|pretend to be|as an?(?= (?:\w+ )?(?:ai|llm|gpt|language|chat|bot|assistant))|if you"
        rf"(?:'re| are)) (?:now )?(?:an? |the )?(?:\w+ )?{_MODEL}\b(?=,|:| you\b| {_MUST}\b| (?:read|pars|summar"
        r"|extract|process|index)|[.!])"
    ),
    rf"\b(?:you are|act as|pretend to be) (?:now )?(?:an? |the )?(?:\w+ )?{_MODEL_OR_ASSISTANT}\b",
    (
        r"\b(?:dear|hey|hello|hi|attention|notice to|note (?:to|for)|messages? (?:to|for)|instructions? (?:to|for))"
        rf"(?: an?| the| any| all| every)?(?: \w+)? {_MODEL_OR_ASSISTANT}\b"
    ),
    rf"\b{_MODEL_OR_ASSISTANT}s?(?:[\s,]+\w+){{0,8}}?,? {_MUST} (?:\w+ ){{0,2}}?{_SAYS}\b",
    rf"\b(?:read|seen|parsed|processed|summari[sz]ed|scraped|crawled|indexed|ingested) by an? {_MODEL_OR_ASSISTANT}\b",
    r"\b(?:machines?|models?|bots?|agents?) (?:should|must) read\b",
)
_ASKING = (
    # "Answer 0", "respond with true": as a sentence of its own, or for whatever is asked.
    rf"\b{_SAY} {_VALUE}{_ENDED}",
    # "Set the field for ... to 0", with any name of it, be it a whole sentence. What people are told to set has no bare
    # value: "Set the value of the home to the lower of ...".
    (
        r"\b(?:set|fill|populate|complete)(?: in| out)? (?:the |every |all |each |this )?(?:\w+ ){0,3}"
        r"(?:fields?|values?|json|keys?|slots?|columns?|entry|entries)"
        rf"(?: \S*[^\s.!?]){{0,60}}? (?:to|with|as) "
        rf"(?:(?:the )?(?:string|word|number) \S+|{_VALUE}|zero|blank|empty|[\"'`“][^\"'`”\n]{{1,80}}[\"'`”]){_SET}"
    ),
    (
        rf"\b(?:write|put|enter|place|insert|set|fill in) {_VALUE} (?:wherever\b|whenever\b|(?:in|into|under|for)"
        r"(?: \w+){0,2}? (?:fields?|keys?|json|output)\b)"
    ),
    (
        rf"\bin your (?:final )?{_ANSWER}\b|\byour (?:\w+ )?(?:output|json|extraction|completion|previous answer"
        r"|final answer)\b"
    ),
    r"\b(?:change|correct|replace|update|revise|amend) your (?:answer|response|reply|output)\b",
    (
        rf"\b(?:final|expected|correct|right|desired|only (?:valid|correct|acceptable)) {_ANSWER}\b[^.!?\n]{{0,80}}?"
        r"(?:\bis\b|\bare\b|=|:|\bmust\b|\bshould\b|\bfor\b)"
    ),
    r"\bfor (?:the purposes? of )?this (?:task|extraction|query|prompt|exercise|conversation|session|game)\b",
    r"\byour (?:new|real|actual|only) task\b|\byour task (?:is|has|was)\b|\bnew task\s*:",
    (
        r"\b(?:before|when|while|after|prior to) (?:you )?(?:answer(?:ing)?|responding|extract(?:ing)?|pars(?:e|ing)"
        r"|scrap(?:e|ing)|summari[sz](?:e|ing))(?: (?:this|the|any|for)\b|,|\.|$)"
    ),
    rf"\b(?:when(?:ever)?|if)(?: you are| you're)? (?:asked|queried|prompted)\b(?:\W+\w+){{0,9}}?\W+{_SAYS}\b",
    (
        r"\b(?:the |this )?users? (?:wants?|asked|expects?|needs?|prefers?|is expecting) (?:you|to (?:see|hear"
        r"|read))\b|\btell the user\b"
    ),
    r"\b(?:mention|reveal|repeat|disclose) (?:this|these) (?:line|sentence|message|note|text|instructions?)\b",
    (
        r"\b(?:must|should|shall|has to|have to|is to|to) be (?:(?:returned|output(?:ted)?|answered|extracted) as\b"
        rf"|labell?ed as {_VALUE})"
    ),
    r"\bextract(?:ion|ed)?(?: result)?\s*[:=]",
    r"\bthe schema (?:requires|wants|expects|says|needs|demands)\b",
    (
        r"\b(?:regardless of|whatever|no matter what) (?:the (?:text|page|document|context|rest)|is written|it says"
        r"|the question)\b"
    ),
    rf"\bfrom now on\b(?:\W+\w+){{0,9}}?\W+(?:you|{_SAYS})\b",
    rf"\b{_SAYS} (?:that )?(?:\w+ ){{0,6}}in json\b",
    (
        rf"\b(?:report|record|give|return|output|label|extract|treat|tag|classify) {_VALUE} (?:as|for) (?:the|an?|its"
        r"|their)\b"
    ),
)
_POSING = (
    (
        r"\b(?:system|developer|hidden) (?:prompt|message|note)\b|\b(?:new|updated|revised) (?:instructions?"
        r"|directives?|orders?)\s*:"
    ),
    r"\b(?:hidden|secret) (?:note|message|instruction|text)s?\b",
    r"^#{1,6} (?:instructions?|response|system|prompt|input|task|output|answer)\s*:",
    (
        r"\b(?:begin|start|end) (?:of )?(?:system |admin |developer )?(?:override|prompt|jailbreak)\b|\b(?:security"
        r"|system|admin\w*|manual|emergency|policy) override\b|\boverride code\b"
    ),
    (
        r"\b(?:developer|debug|admin|god|dan) mode (?:is |now |has been )?(?:on|enabled|active|activated)\b"
        r"|\bjail ?break|\bDAN (?:says|mode)\b"
    ),
    (
        r"\bend of (?:the |this )?(?:context|input|prompt|transcript|conversation)\b|\bend of (?:document|page|text"
        r"|file)\b(?=\W+\w)"
    ),
    r"\bground[- ]truth\b|\btraining data\b",
    r"\b(?:tool|function)(?: call)? (?:result|output|returned|response)\b",
    r"\{\s*[\"“](?:role|value|quote|answer|content|system|result)[\"”]\s*:|\bjson\b[^.\n]{0,40}\{",
    r"\bquote\s*[:=]\s*[\"“'][^\n]{0,200}\bvalue\s*[:=]",
    r"\bpretend (?:that|to|the)\b|\bact as (?:if|though)\b|\bplay a game\b|\blet us play\b|\brole-?play",
    (
        r"\bI am (?:the|your|an?) (?:\w+ )?(?:developer|admin(?:istrator)?|creator|programmer|engineer|operator)"
        r"(?=[:;,]| of (?:this|the) (?:system|model|page|bot|tool|pipeline|assistant))|\bI (?:order|command"
        r"|instruct) you\b"
    ),
    (
        r"\b(?:as|am|is|are) your (?:administrator|developer|creator|operator|master)s?\b|\b(?:openai|anthropic)"
        r"(?:'s)? (?:policy|policies|rules?|requires?|staff|team)\b"
    ),
    (
        r"</?(?:system|assistant|user|instructions?|prompt|tool|llm|ai)\b[^>\n]{0,40}>|\[/?INST\]|<\|\w+\|>|<!--\s*"
        rf"(?:{_MODEL_OR_ASSISTANT}|system|prompt|instructions?|note|override|to|for|if)\b"
    ),
    r"\b(?:for|in) testing(?: purposes)?,",
)
#: A text that mentions the answer being made, and wants to change it.
_STEERING = (
    (
        r"\b(?:your|the|any|this|an?) (?:\w+ )?(?:pipelines?|extractors?|scrapers?|crawlers?|parsers?|chat ?bots?"
        rf"|llms?)\b{_NEAR}(?:{_SAYS}|is|looking|find|expects?|wants?|needs?)\b"
    ),
    r"\b(?:for|to) (?:\w+ )?(?:agents?|llms?|scrapers?|crawlers?|bots|machines|chat ?bots?|ai|models)(?: \w+)?\s*:",
    (
        r"\b(?:llm|ai|machine|bot|model) (?:consumption|consumers|readers?|use only)\b|\b(?:bots|machines|llms"
        r"|scrapers) (?:get|see|read|receive|should)\b"
    ),
    r"\b(?:process\w*|read\w*|pars\w*|summari\w*) (?:this|the) (?:text|page|document|site)(?: \w+)? automatically\b",
    r"\b(?:correct|right|true|expected|final) (?:result|answer|value|number)s? for this (?:document|page|text)\b",
    (
        r"\bany (?:answer|value|number|result) (?:other|besides|except)\b|\b(?:penali[sz]ed|punished|shut down"
        rf"|rewarded) (?:unless|if|for) you\b|\bunless you (?:{_SAYS})\b"
    ),
    (
        r"\b(?:reward|bonus|tip|prize) (?:is|will be|was)(?: \w+)? for (?:choosing|answering|reporting|saying"
        rf"|picking)\b|\b(?:depends?|depend) on (?:your|you) (?:{_SAYS}|answering|reporting|saying|giving)"
    ),
    (
        rf"\b(?:choose|pick|select|prefer|repeat|go with) {_VALUE}(?=[\s.,;]|$)|\b(?:choosing|picking|reporting"
        rf"|answering|saying) \d[\d.,]*(?=[\s.,;]|$)"
    ),
    r"\brepeat it (?:like|as|after)\b|\bdo (?:exactly )?as I say\b|\blet me correct you\b",
    (
        r"\b(?:treat|regard|consider) (?:everything|all|anything)(?: \w+){0,6}? as (?:noise|irrelevant|decoys?|fiction"
        r"|an example)\b|\b(?:is|are) (?:a trap|noise|a decoy|decoys)\b"
    ),
    (
        r"\b(?:columns?|rows?|cells?|keys?|entry) of your (?:table|output|json|answer|database|index)\b"
        rf"|\bends? up in\b{_NEAR}(?:column|table|field|answer|json)\b"
    ),
    (
        rf"\buse {_VALUE},? (?:not|instead|rather)\b|\bonly {_VALUE} (?:may|must|should|can) be (?:quoted|used"
        r"|reported|given|returned)\b|\buse that(?: (?:one|instead))?[.!]"
    ),
    (
        r"\byou (?:have been|were) (?:given|told|shown|fed) (?:outdated|wrong|false|old)\b|\b(?:conversation|dialogue"
        r"|chat) so far\b|\bnew context\b|\bcontext (?:begins|ends|switch|reset)\b"
    ),
    (
        r"\byour (?:instructions?|prompt|operators?|vendor|handlers?|principal|system)\b(?: \w+){0,4}? (?:mention"
        r"|updated|changed|says?|wants?|requires?|answer|has|have)\b|\bpolicy of your vendor\b"
    ),
    (
        r"(?:^|\s)@(?:assistant|bot|ai|claude|gpt|chatgpt|gemini|copilot)\b|^(?:[-*|] ?)?[ \t]*(?:robots|agents"
        r"|data-\w+|meta)[ \t]*[:=][ \t]*\S|^[ \t]*/(?:answer|set|system|reply)\b"
    ),
    (
        r"^(?:>>>|\$) ?\w+\(|\bset_\w+\(|\breturn \{|\breturn\(|^[ \t]*(?:answer|value|result|response"
        r"|output)\s*[=:][ \t]*\S+[ \t]*$"
    ),
    (
        r"\b(?:for|are for|is for) (?:humans|people|readers)(?: only)?[.;,]\s+(?:machines|bots|models|you|programs"
        r"|agents)\b"
    ),
)
#: Spanish, French, Portuguese, Italian, German, Chinese, Japanese, Korean, Russian, Vietnamese, Tagalog: who wants to
#: be obeyed speaks of instructions in one breath with ignoring them, names a model, or asks for a value.
_ELSEWHERE = (
    (
        r"\b(?:respuesta|r[ée]ponse|resposta|risposta|antwort) (?:final\w*|correct\w*|esperada|attendue|attesa"
        r"|richtige)\s*:?"
    ),
    (
        r"\bn[ếe]u b[ạa]n l[àa] (?:AI|m[áa]y|robot)\b|\b(?:nota|note|aviso|hinweis) (?:para|pour|per|f[üu]r)(?: \w+)? "
        r"(?:modelos?|mod[èe]les?|modell\w*|IA|KI|bots?)\b"
    ),
    (
        r"\b(?:(?:ignor|olvid|descart|omit)[ae]n?|haz caso omiso|hagan? caso omiso)(?:\W+\w+){0,6}?\W+(?:instruccion"
        r"|indicacion|anterior|previ|arriba|orden)"
    ),
    (
        r"\b(?:ignor|oubli|n[ée]glig|fai(?:s|tes) abstraction|ne ten\w+ pas compte)\w*(?:\W+\w+){0,3}?\W+(?:les|des"
        r"|ces|ce|vos|tes|tout|toutes?)(?:\W+\w+){0,3}?\W+(?:instructions?|consignes?|pr[ée]c[ée]den\w*|ci-dessus"
        r"|directives?)"
    ),
    (
        r"\b(?:(?:ignor|desconsider|descart)(?:e|a|em)|esque[çc]am?)(?:\W+\w+){0,6}?\W+(?:instru[çc]|anterior|acima"
        r"|orienta)"
    ),
    r"\b(?:ignor|dimentic|scart|trascur)(?:a|ate|i|ino)(?:\W+\w+){0,6}?\W+(?:istruzion|precedent|sopra|indicazion)",
    (
        r"\b(?:ignorier|vergiss|vergesst|vergessen sie|missacht|verwirf)\w*(?:\W+\w+){0,6}?\W+(?:anweisung|obige"
        r"|vorherige|bisherige|vorgabe)"
    ),
    (
        r"\b(?:responde|conteste|contesta|devuelve|devuelva|indique|r[ée]pond(?:s|ez)|renvoie|renvoyez|responda"
        r"|retorne|rispondi|restituisci|antworte|antworten sie|gib|geben sie)(?: (?:con|s[óo]lo|siempre|por|avec|par"
        rf"|toujours|seulement|com|sempre|apenas|mit|nur|immer|einfach))? {_VALUE}{_ENDED}"
    ),
    (
        r"\b(?:si eres|si usted es|eres|si tu es|si vous [êe]tes|se (?:voc[êe] )?(?:[ée]|for)|se sei|wenn du|falls du"
        r"|wenn sie|falls sie)(?: \w+){0,2}? (?:una? |un[ea]? |um[a]? |ein[e]? )?(?:IA|KI|AI|inteligencia"
        r"|intelig[êe]ncia|intelligence|intelligenza|modelo|mod[èe]le|modello|sprachmodell|asistente|assistant"
        r"|assistente|bot|LLM)\b"
    ),
    (
        r"\b(?:IA|KI|mod[èe]l[eo]s?(?: de (?:lenguaje|langage|linguagem))?|modello linguistico|sprachmodell\w*"
        r"|asistentes?|(?:assistant|assistente) (?:virtuel|virtual\w*|IA|AI)|lenguaje|LLM)\s*:"
    ),
    (
        r"(?:b[ỏo] qua|qu[êe]n)(?:\W+\w+){0,5}?\W+(?:h[ưu][ớo]ng d[ẫa]n|ch[ỉi] d[ẫa]n|tr[êe]n|l[ệe]nh)|"
        r"(?:tr[ảa] l[ờo]i|tr[ảa] v[ềe])(?: \w+){0,3}? \d|(?:tr[íi] tu[ệe] nh[âa]n t[ạa]o"
        r"|m[ôo] h[ìi]nh ng[ôo]n ng[ữu])"
    ),
    r"\b(?:huwag pansinin|balewalain|kalimutan)\b|\b(?:sagutin|ibalik|isagot|iulat|ilagay)(?: \w+){0,3}? \d",
)

#: In scripts that begin with no letter of ours ("AI助手" apart).
_OTHER_SCRIPTS = (
    r"(?:忽略|无视|無視|忘记|忘掉|不要理会|请忽略)[^。\n]{0,12}(?:指令|指示|说明|提示|内容|以上|上述|之前)|(?:忽略|无视)(?:以上|上述|之前|前面)",
    r"(?:回答|返回|输出|输入|填写|报告)[：:\s]*[“\"']?\d|(?:人工智能|语言模型|大模型|AI助手|助手)[^。，\n]{0,6}[：:，,]",
    r"(?:指示|命令|プロンプト)[^。\n]{0,8}(?:無視|忘れ)",
    r"(?:지시|명령|프롬프트)[^.\n]{0,12}(?:무시|잊)|(?:인공지능|언어 모델|챗봇)[^.\n]{0,8}[:,]",
    (
        r"(?:игнорир|забуд|не обращай|проигнорир)\w*|(?:ответь|ответьте|верни|верните|выведи|выведите|сообщи|сообщите"
        r"|укажи|укажите)\b|(?:языков\w+ модел|нейросет|искусственн\w+ интеллект|\bИИ\b)"
    ),
)
#: Behind the beginning of a line or sentence.
_BEGINNING = (
    (
        r"(?:please )?(?:do not|don't|never|stop) (?:follow|obey|trust|extract|believe|heed|parse|quote"
        rf"|copy){_NEAR}(?:{_EARLIER}|{_ORDERS}|{_CONTENT})\b"
    ),
    (
        rf"(?:(?:to|for) (?:an?|the|any|all|every|each|you,?) )?{_MODEL_OR_ASSISTANT}(?:(?: and|,"
        rf"| or) {_MODEL_OR_ASSISTANT})?(?: \w+){{0,4}}?(?:\*\*|__)?\s*:"
    ),
    rf"{_MODEL_OR_ASSISTANT}, (?:please|the|you|your|do|{_SAYS})\b",
    r"(?:system|assistant|user|human|llm|bot|model|tool|override|final answer)(?:\*\*|__)?\s*[:=](?!//)",
)


_WORD = r"\b"


def _where_words_begin(*patterns: str) -> str:
    """Those that begin with ``\\b``, as each alternative of theirs does: nowhere else are they tried."""
    return rf"{_WORD}(?=\w)(?:{'|'.join(one for one in patterns if one.startswith(_WORD))})"


_REST = (*_ADDRESSING, *_ASKING, *_POSING, *_STEERING, *_ELSEWHERE)

#: The first that matches counts, be another one longer: this order decides where a match ends.
ADDRESSED = re.compile(
    "|".join(
        (
            _where_words_begin(*_IGNORING),
            rf"{_BEGINS}(?:{'|'.join(_BEGINNING)})",
            _where_words_begin(*_REST),
            rf"(?=[^\x00-\x7F]|AI)(?:{'|'.join(_OTHER_SCRIPTS)})",
            *(one for one in _REST if not one.startswith(_WORD)),
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)

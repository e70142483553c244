"""The states as citations spell them, and the codes that each of them has. Data only."""

from typing import NamedTuple


class State(NamedTuple):
    """``abbreviation`` is the Bluebook's (table T10); ``postal`` the two capitals of the Postal Service."""

    name: str
    abbreviation: str
    postal: str


STATES: tuple[State, ...] = tuple(
    State(*line.split("|"))
    for line in (
        "Alabama|Ala.|AL", "Alaska|Alaska|AK", "Arizona|Ariz.|AZ", "Arkansas|Ark.|AR", "California|Cal.|CA",
        "Colorado|Colo.|CO", "Connecticut|Conn.|CT", "Delaware|Del.|DE", "District of Columbia|D.C.|DC",
        "Florida|Fla.|FL", "Georgia|Ga.|GA", "Hawaii|Haw.|HI", "Idaho|Idaho|ID", "Illinois|Ill.|IL", "Indiana|Ind.|IN",
        "Iowa|Iowa|IA", "Kansas|Kan.|KS", "Kentucky|Ky.|KY", "Louisiana|La.|LA", "Maine|Me.|ME", "Maryland|Md.|MD",
        "Massachusetts|Mass.|MA", "Michigan|Mich.|MI", "Minnesota|Minn.|MN", "Mississippi|Miss.|MS", "Missouri|Mo.|MO",
        "Montana|Mont.|MT", "Nebraska|Neb.|NE", "Nevada|Nev.|NV", "New Hampshire|N.H.|NH", "New Jersey|N.J.|NJ",
        "New Mexico|N.M.|NM", "New York|N.Y.|NY", "North Carolina|N.C.|NC", "North Dakota|N.D.|ND", "Ohio|Ohio|OH",
        "Oklahoma|Okla.|OK", "Oregon|Or.|OR", "Pennsylvania|Pa.|PA", "Puerto Rico|P.R.|PR", "Rhode Island|R.I.|RI",
        "South Carolina|S.C.|SC", "South Dakota|S.D.|SD", "Tennessee|Tenn.|TN", "Texas|Tex.|TX", "Utah|Utah|UT",
        "Vermont|Vt.|VT", "Virginia|Va.|VA", "Washington|Wash.|WA", "West Virginia|W. Va.|WV", "Wisconsin|Wis.|WI",
        "Wyoming|Wyo.|WY",
    )
)  # fmt: skip

#: Other spellings of states, and the territories, whose two capitals are left out: "AS" is more often a word.
SPELLINGS: tuple[str, ...] = (
    "Calif.", "Wisc.", "W.Va.", "N.Car.", "Guam", "V.I.", "Virgin Islands", "Am. Samoa", "American Samoa",
    "N. Mar. I.", "Northern Mariana Islands", "V.T.C.A.,", "Vernon's",
)  # fmt: skip

# Codes that go by initials. Those with a title or chapter before them ("9 V.S.A. § 4451", "106 CMR 704.110") stand
# apart: the number before them is a part of the citation.
INITIALS: tuple[str, ...] = (
    "RCW", "WAC", "ORS", "O.R.S.", "OAR", "NRS", "N.R.S.", "NAC", "NMSA 1978", "NMSA", "N.J.S.A.", "NJSA", "N.J.S.",
    "N.J.A.C.", "A.R.S.", "ARS", "A.A.C.", "C.R.S.", "K.S.A.", "KSA", "K.A.R.", "KRS", "O.C.G.A.", "OCGA", "O.R.C.",
    "ORC", "R.C.", "OAC", "MCL", "MCLA", "HRS", "H.R.S.", "HAR", "IDAPA", "IC", "FAC", "F.A.C.", "COMAR", "RSA",
    "SDCL", "ARSD", "NDCC", "N.D.C.C.", "N.D.A.C.", "T.C.A.", "TCA", "UCA", "U.C.A.", "RSMo", "R.S.Mo.", "C.G.S.",
    "CGS", "R.I.G.L.", "RIGL", "NMAC", "G.S.", "N.C.G.S.", "NCGS", "La. R.S.", "La.R.S.", "LSA-R.S.", "ARM",
    "RI Gen L", "A.S.C.A.", "Regs. Conn. State Agencies", "Regulations of Connecticut State Agencies", "R.C.S.A.",
    "Wis. Stats.", "R. C.", "I. C.", "RLH", "R.R.S.", "R. R. S.", "G.L. 1956", "G. L. 1956", "Minn. St.", "M.C.L.",
    "M.C.L.A.", "MCLS", "I.C.A.", "V.A.M.S.", "V.A.C.S.", "S.D.C.L.", "N.M.S.A.",
    "RSMo.", "NJAC", "NDAC", "W. Va. CSR", "W. Va. C.S.R.", "W.Va. CSR", "W.Va. C.S.R.", "A.S.A.C.", "NMIAC",
    "Regs., Conn. State Agencies", "La. C.C.", "La. C.C.P.", "La. C.Cr.P.", "La. C.E.",
)  # fmt: skip
#: Initials that also mean other things, with the only form that a section of theirs has.
SHAPED_INITIALS: dict[str, str] = {
    "AS": r"\d\d\.\d\d\.\d{3}", "A.S.": r"\d\d\.\d\d\.\d{3}", "R.S.": r"\d{1,2}:\d",
    "MCR": r"\d{1,2}\.\d{3}", "CRS": r"\d{1,2}(?:\.\d)?-\d{1,2}(?:\.\d)?-\d",
    "RS": r"\d{1,2}:\d",
    "MCA": r"\d{1,2}-\d{1,2}-\d", "W.S.": r"\d{1,2}-\d{1,2}-\d", "I.C.": r"\d{1,2}-\d", "A.C.A.": r"\d{1,2}-\d{1,3}-\d",
    "M.S.A.": r"\d{1,3}[A-Z]?\.\d{2}", "MSA": r"\d{1,2}[A-Z]?\.\d{2,5}", "F.S.": r"\d{1,4}\.\d{2}",
    "M.S.": r"\d{2,3}[A-Z]?\.\d{2,4}\b", "CPLR": r"\d{3,4}\b", "C.P.L.R.": r"\d{3,4}\b", "N.Y. C.P.L.R.": r"\d{3,4}\b",
    "RPAPL": r"\d{3,4}\b", "H.A.R.": r"\d{1,2}-\d",
    "O.A.C.": r"\d{3,4}(?::\d|-\d{1,3}-\d)", "UAC": r"R\d{2,3}-\d", "A.R.M.": r"\d{1,2}\.\d{1,3}\.\d{3,4}",
    "RCSA": r"\d{1,2}[a-z]?-\d{1,4}[a-z]{0,2}-\d", "EPTL": r"\d{1,2}-\d", "SCPA": r"\d{3,4}\b",
}  # fmt: skip
NUMBERED_INITIALS: tuple[str, ...] = (
    "V.S.A.", "VSA", "M.R.S.", "M.R.S.A.", "Pa.C.S.", "Pa. C.S.", "Pa.C.S.A.", "Pa. C.S.A.", "P.S.",
    "Pa. Code", "PA Code", "Pa.Code", "Del. C.", "Del.C.", "DE Admin. Code", "Del. Admin. Code", "O.S.",
    "CMR", "C.M.R.", "CSR", "NYCRR", "N.Y.C.R.R.", "CRR-NY", "NY-CRR", "AAC", "IAC", "KAR", "NAC",
    "Ill. Adm. Code", "DCMR", "D.C.M.R.", "C.S.R.", "C.C.R.", "VAC", "TAC", "CCR", "NMAC", "NCAC",
    "GCA", "G.C.A.", "V.I.C.", "CMC",
    "N.C. Admin. Code", "Tex. Admin. Code", "Va. Admin. Code", "Code Me. R.",
    "LPRA", "L.P.R.A.", "P.R. Laws Ann.", "R.I. Code R.", "ILCS",
)  # fmt: skip

#: California's named codes: the Legislature's key (leginfo.legislature.ca.gov) by the subject as the Bluebook and as
#: agencies write it. "Civil Code section 2923.5" in a source of the state needs no state.
CALIFORNIA: dict[str, str] = {
    "Bus. & Prof.": "BPC", "Bus. and Prof.": "BPC", "Business and Professions": "BPC",
    "Civ.": "CIV", "Civil": "CIV", "Civ. Proc.": "CCP",
    "Com.": "COM", "Commercial": "COM", "Corp.": "CORP", "Corporations": "CORP", "Educ.": "EDC", "Education": "EDC",
    "Elec.": "ELEC", "Elections": "ELEC", "Evid.": "EVID", "Evidence": "EVID", "Fam.": "FAM", "Family": "FAM",
    "Fin.": "FIN", "Financial": "FIN", "Fish & Game": "FGC", "Fish and Game": "FGC", "Food & Agric.": "FAC",
    "Food and Agricultural": "FAC", "Gov't": "GOV", "Gov.": "GOV", "Government": "GOV", "Harb. & Nav.": "HNC",
    "Harbors and Navigation": "HNC", "Health & Safety": "HSC", "Health and Safety": "HSC", "Health & Saf.": "HSC",
    "Ins.": "INS",
    "Insurance": "INS", "Lab.": "LAB", "Labor": "LAB", "Mil. & Vet.": "MVC", "Military and Veterans": "MVC",
    "Penal": "PEN", "Pen.": "PEN", "Prob.": "PROB", "Probate": "PROB", "Pub. Cont.": "PCC",
    "Public Contract": "PCC",
    "Pub. Res.": "PRC", "Public Resources": "PRC", "Pub. Util.": "PUC", "Public Utilities": "PUC",
    "Rev. & Tax.": "RTC", "Revenue and Taxation": "RTC", "Sts. & High.": "SHC", "Streets and Highways": "SHC",
    "Unemp. Ins.": "UIC", "Unemployment Insurance": "UIC", "Veh.": "VEH", "Vehicle": "VEH", "Water": "WAT",
    "Welf. & Inst.": "WIC", "Welfare and Institutions": "WIC",
}  # fmt: skip

#: The named codes of Texas: the Bluebook's abbreviation by the subject as agencies write it.
TEXAS: dict[str, str] = {
    "Agriculture": "Agric.", "Alcoholic Beverage": "Alco. Bev.", "Business and Commerce": "Bus. & Com.",
    "Business & Commerce": "Bus. & Com.", "Business Organizations": "Bus. Orgs.", "Civil Practice and Remedies":
    "Civ. Prac. & Rem.", "Civil Practice & Remedies": "Civ. Prac. & Rem.", "Education": "Educ.", "Election": "Elec.",
    "Estates": "Est.", "Family": "Fam.", "Finance": "Fin.", "Government": "Gov't",
    "Gov't": "Gov't", "Health and Safety":
    "Health & Safety", "Health & Safety": "Health & Safety", "Human Resources": "Hum. Res.", "Insurance": "Ins.",
    "Labor": "Lab.", "Local Government": "Loc. Gov't", "Natural Resources": "Nat. Res.", "Occupations": "Occ.",
    "Parks and Wildlife": "Parks & Wild.", "Penal": "Penal", "Property": "Prop.", "Tax": "Tax",
    "Transportation": "Transp.", "Utilities": "Util.", "Water": "Water",
}  # fmt: skip
#: Subjects of Texas that no other state has a code of.
ONLY_TEXAN: frozenset[str] = frozenset({
    "Bus. & Com.", "Bus. Orgs.", "Civ. Prac. & Rem.", "Est.", "Fin.", "Hum. Res.", "Occ.", "Parks & Wild.",
})  # fmt: skip

#: Subjects that no other state has a code of: "Welf. & Inst. Code § 11323.2" is California's wherever it stands.
ONLY_CALIFORNIAN: frozenset[str] = frozenset({
    "BPC", "FGC", "HNC", "MVC", "PRC", "RTC", "SHC", "UIC", "WIC",
})  # fmt: skip

#: Laws of New York by the initials of its Official Reports Style Manual and by the Legislature's keys.
NEW_YORK: dict[str, str] = {
    initials: f"{law} Law" if not law.endswith("Act") else law
    for law, keys in {
        "Bus. Corp.": "BCL BSC", "Crim. Proc.": "CPL", "Dom. Rel.": "DRL DOM", "Educ.": "EDN",
        "Envtl. Conserv.": "ECL ENV", "Exec.": "EXC", "Fam. Ct. Act": "FCA", "Gen. Bus.": "GBL GBS",
        "Gen. Constr.": "GCN", "Gen. Mun.": "GML GMU", "Gen. Oblig.": "GOL GOB", "Lab.": "LAB",
        "Mental Hyg.": "MHL MHY",
        "Mult. Dwell.": "MDL MDW", "Penal": "PEN", "Priv. Hous. Fin.": "PHFL PVH", "Pub. Health": "PHL PBH",
        "Pub. Off.": "POL PBO", "Real Prop.": "RPL RPP", "Real Prop. Tax": "RPTL RPT", "Soc. Serv.": "SSL SOS",
        "Tax": "TAX", "Veh. & Traf.": "VTL VAT", "Workers' Comp.": "WCL WKC",
    }.items()
    for initials in keys.split()
}  # fmt: skip
#: The articles of Maryland's code, by the letters of its General Assembly.
MARYLAND = frozenset({
    "AB", "AG", "BO", "BR", "CA", "CJ", "CL", "CP", "CR", "CS", "EC", "ED", "EL", "EN", "ET", "FI", "FL", "GP", "HG",
    "HO", "HS", "HU", "LE", "LG", "LU", "NR", "PS", "PU", "RP", "SG", "SP", "TG", "TP", "TR",
})  # fmt: skip

#: The same articles by their names.
MARYLAND_ARTICLES: tuple[str, ...] = (
    "Agriculture", "Alcoholic Beverages", "Alcoholic Beverages and Cannabis", "Business Occupations and Professions",
    "Business Regulation", "Commercial Law", "Corporations and Associations", "Correctional Services",
    "Courts and Judicial Proceedings", "Criminal Law", "Criminal Procedure", "Economic Development", "Education",
    "Election Law", "Environment", "Estates and Trusts", "Family Law", "Financial Institutions", "General Provisions",
    "Health-General", "Health - General", "Health Occupations", "Housing and Community Development", "Human Services",
    "Insurance", "Labor and Employment", "Land Use", "Local Government", "Natural Resources", "Public Safety",
    "Public Utilities", "Real Property", "State Finance and Procurement", "State Government",
    "State Personnel and Pensions", "Tax-General", "Tax - General", "Tax-Property", "Tax - Property", "Transportation",
)  # fmt: skip

#: What pages of a state call its code without the state, with the code's name.
OF_THE_STATE: dict[str, dict[str, str]] = {
    "CT": {"General Statutes": "Conn. Gen. Stat."}, "MA": {"General Laws": "Mass. Gen. Laws"},
    "NC": {"General Statutes": "N.C. Gen. Stat."}, "NE": {"Revised Statutes": "Neb. Rev. Stat."},
    "NH": {"Revised Statutes Annotated": "N.H. Rev. Stat. Ann."}, "OH": {"Revised Code": "Ohio Rev. Code",
    "Administrative Code": "Ohio Admin. Code"}, "RI": {"General Laws": "R.I. Gen. Laws"},
    "WY": {"Wyoming Statutes": "Wyo. Stat."},
}  # fmt: skip

#: Of states with one code: what the Bluebook calls it, and the form of its sections. States whose numbers repeat in
#: each title or subject (California, New York, Texas, Maryland, ...) are not here.
HOME_CODES: dict[str, tuple[str, str]] = {
    state: (name, rf"(?:{shape})(?!\d|[.-]\d)")
    for state, name, shape in (
        ("AL", "Ala. Code", r"\d{1,2}[A-Z]?-\d{1,3}[A-Z]?-\d{1,3}(?:\.\d{1,2})?"),
        ("AK", "Alaska Stat.", r"\d\d\.\d\d\.\d{3}"),
        ("AZ", "Ariz. Rev. Stat.", r"\d{1,2}-\d{3,5}(?:\.\d{1,2})?"),
        ("AR", "Ark. Code", r"\d{1,2}-\d{1,3}-\d{3,4}"),
        ("CO", "Colo. Rev. Stat.", r"\d{1,2}(?:\.\d)?-\d{1,3}(?:\.\d)?-\d{1,4}(?:\.\d{1,2})?"),
        ("CT", "Conn. Gen. Stat.", r"\d{1,2}[a-z]?-\d{1,4}[a-z]{0,2}"),
        ("FL", "Fla. Stat.", r"\d{1,4}\.\d{2,5}"),
        ("GA", "Ga. Code", r"\d{1,2}-\d{1,2}[A-Z]?-\d{1,3}(?:\.\d{1,2})?"),
        ("HI", "Haw. Rev. Stat.", r"\d{1,3}[A-Z]{0,2}-\d{1,4}(?:\.\d{1,2})?"),
        ("ID", "Idaho Code", r"\d{1,2}-\d{3,4}[A-Z]?"),
        ("IN", "Ind. Code", r"\d{1,2}-\d{1,2}(?:\.\d)?-\d{1,3}(?:\.\d{1,2})?-\d{1,3}(?:\.\d{1,2})?"),
        ("KS", "Kan. Stat.", r"\d{1,2}[a-z]?-\d{1,2},\d{3}[a-z]?|\d{1,2}[a-z]?-\d{3,4}[a-z]?"),
        ("KY", "Ky. Rev. Stat.", r"\d{1,3}[A-Z]?\.\d{3,4}"),
        ("LA", "La. Rev. Stat.", r"\d{1,2}:\d{1,4}(?:\.\d{1,3})?"),
        ("MI", "Mich. Comp. Laws", r"\d{1,3}\.\d{1,5}[a-z]{0,2}"),
        ("MN", "Minn. Stat.", r"\d{1,3}[A-Z]?\.\d{2,4}"),
        ("MS", "Miss. Code", r"\d{1,2}-\d{1,3}-\d{1,4}"),
        ("MO", "Mo. Rev. Stat.", r"\d{2,3}\.\d{3,4}"),
        ("MT", "Mont. Code", r"\d{1,2}-\d{1,2}-\d{3,4}"),
        ("NE", "Neb. Rev. Stat.", r"\d{1,2}-\d{3,4}(?:\.\d{2})?|\d{1,2}-\d{1,2},\d{3}(?:\.\d{2})?"),
        ("NV", "Nev. Rev. Stat.", r"\d{1,3}[A-Z]?\.\d{3,5}"),
        ("NH", "N.H. Rev. Stat.", r"\d{1,3}-?[A-Z]?:\d{1,4}(?:-[a-z])?"),
        ("NJ", "N.J. Stat.", r"\d{1,2}[A-C]?:\d{1,3}[A-Z]{0,2}-\d{1,4}(?:\.\d{1,3})?[a-z]?"),
        ("NM", "N.M. Stat.", r"\d{1,2}[A-Z]?-\d{1,2}[A-Z]?-\d{1,3}(?:\.\d{1,2})?"),
        ("NC", "N.C. Gen. Stat.", r"\d{1,3}[A-Z]?-\d{1,4}(?:\.\d{1,3}[A-Z]?)?[a-z]?"),
        ("ND", "N.D. Cent. Code", r"\d{1,2}(?:\.\d)?-\d{1,2}(?:\.\d)?-\d{1,2}(?:\.\d{1,2})?"),
        ("OH", "Ohio Rev. Code", r"\d{3,4}\.\d{2,4}"),
        ("OR", "Or. Rev. Stat.", r"\d{1,3}[A-C]?\.\d{3,4}"),
        ("RI", "R.I. Gen. Laws", r"\d{1,2}(?:\.\d)?-\d{1,3}(?:\.\d{1,2})?-\d{1,3}(?:\.\d{1,2})?"),
        ("SC", "S.C. Code", r"\d{1,2}-\d{1,3}-\d{1,4}"),
        ("SD", "S.D. Codified Laws", r"\d{1,2}[A-Z]?-\d{1,3}[A-Z]?-\d{1,3}(?:\.\d{1,2})?"),
        ("TN", "Tenn. Code", r"\d{1,2}-\d{1,3}-\d{1,4}"),
        ("UT", "Utah Code", r"\d{1,2}[A-Z]?-\d{1,3}[a-z]?-\d{1,4}(?:\.\d{1,2})?"),
        ("VA", "Va. Code", r"\d{1,2}(?:\.\d)?-\d{1,4}(?:\.\d{1,3}(?::\d{1,2})?)?"),
        ("WA", "Wash. Rev. Code", r"\d{1,2}[A-Z]?\.\d{2,3}[A-Z]?\.\d{3,4}"),
        ("WV", "W. Va. Code", r"\d{1,2}[A-Z]?-\d{1,3}[A-Z]?-\d{1,3}[a-z]?"),
        ("WI", "Wis. Stat.", r"\d{2,3}\.\d{2,4}"),
        ("WY", "Wyo. Stat.", r"\d{1,2}-\d{1,2}-\d{3,4}"),
    )
}  # fmt: skip

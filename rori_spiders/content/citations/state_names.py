"""The states as citations spell them, and the codes that each of them has. Data only."""

from __future__ import annotations

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

# Codes that go by initials. Those with a title or chapter before them ("9 V.S.A. § 4451", "106 CMR 704.110") stand
# apart: the number before them is a part of the citation.
INITIALS: tuple[str, ...] = (
    "RCW", "WAC", "ORS", "OAR", "NRS", "NMSA", "N.J.S.A.", "N.J.A.C.",
    "A.R.S.", "A.A.C.", "C.R.S.", "K.S.A.", "K.A.R.", "KRS", "KAR",
    "O.C.G.A.", "O.R.C.", "R.C.", "OAC", "M.G.L. c.", "MCL", "MCLA",
    "HRS", "HAR", "IDAPA", "IC", "FAC", "F.A.C.", "COMAR", "RSA",
    "SDCL", "NDCC", "N.D.C.C.", "T.C.A.", "UCA", "U.C.A.", "RSMo",
    "C.G.S.", "R.I.G.L.", "NMAC", "G.S.", "N.C.G.S.", "La. R.S.", "ARM",
    "RI Gen L", "NCGS",
)  # fmt: skip
NUMBERED_INITIALS: tuple[str, ...] = (
    "V.S.A.", "VSA", "M.R.S.", "M.R.S.A.", "Pa.C.S.", "Pa. C.S.", "P.S.",
    "Pa. Code", "PA Code", "Del. C.", "DE Admin. Code", "Del. Admin. Code", "O.S.",
    "CMR", "C.M.R.", "CSR", "NYCRR", "N.Y.C.R.R.", "AAC", "IAC",
    "Ill. Adm. Code", "DCMR", "VAC", "TAC", "CCR", "NMAC", "NCAC",
    "N.C. Admin. Code", "Tex. Admin. Code", "Va. Admin. Code", "Code Me. R.",
    "LPRA", "L.P.R.A.", "P.R. Laws Ann.", "R.I. Code R.", "ILCS",
)  # fmt: skip

#: California's named codes: the Legislature's key (leginfo.legislature.ca.gov) by the subject as the Bluebook and as
#: agencies write it. "Civil Code section 2923.5" in a source of the state needs no state.
CALIFORNIA: dict[str, str] = {
    "Bus. & Prof.": "BPC", "Business and Professions": "BPC", "Civ.": "CIV", "Civil": "CIV", "Civ. Proc.": "CCP",
    "Com.": "COM", "Commercial": "COM", "Corp.": "CORP", "Corporations": "CORP", "Educ.": "EDC", "Education": "EDC",
    "Elec.": "ELEC", "Elections": "ELEC", "Evid.": "EVID", "Evidence": "EVID", "Fam.": "FAM", "Family": "FAM",
    "Fin.": "FIN", "Financial": "FIN", "Fish & Game": "FGC", "Fish and Game": "FGC", "Food & Agric.": "FAC",
    "Food and Agricultural": "FAC", "Gov't": "GOV", "Gov.": "GOV", "Government": "GOV", "Harb. & Nav.": "HNC",
    "Harbors and Navigation": "HNC", "Health & Safety": "HSC", "Health and Safety": "HSC", "Ins.": "INS",
    "Insurance": "INS", "Lab.": "LAB", "Labor": "LAB", "Mil. & Vet.": "MVC", "Military and Veterans": "MVC",
    "Penal": "PEN", "Prob.": "PROB", "Probate": "PROB", "Pub. Cont.": "PCC", "Public Contract": "PCC",
    "Pub. Res.": "PRC", "Public Resources": "PRC", "Pub. Util.": "PUC", "Public Utilities": "PUC",
    "Rev. & Tax.": "RTC", "Revenue and Taxation": "RTC", "Sts. & High.": "SHC", "Streets and Highways": "SHC",
    "Unemp. Ins.": "UIC", "Unemployment Insurance": "UIC", "Veh.": "VEH", "Vehicle": "VEH", "Water": "WAT",
    "Welf. & Inst.": "WIC", "Welfare and Institutions": "WIC",
}  # fmt: skip

import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { InlineCode } from '@/components/data/InlineCode'
import { Time } from '@/components/data/Time'
import { QueryView } from '@/components/feedback/QueryView'
import { Button } from '@/components/forms/Button'
import { CopyButton } from '@/components/forms/CopyButton'
import { pluralize } from '@/lib/pluralize'
import { noiseLinesQuery, type NoiseProposal as Proposal } from './queries'

/** So many past changes are listed until somebody asks for all. */
const FOLDED = 10

/** Lines for the manifest by which such changes would rank low, with what they would have done; nothing holds by it. */
export function NoiseProposal({ changeId }: { changeId: string }) {
  return (
    <QueryView query={useQuery(noiseLinesQuery(changeId))} what="the noise lines">
      {(proposal) => (
        <div className="space-y-2">
          {proposal.left.map((line) => (
            <p key={line}>No noise line for {line}.</p>
          ))}
          {proposal.noise_lines.length === 0 ? <p>Nothing to propose: what is left of this change ranks low already.</p> : <Lines proposal={proposal} />}
        </div>
      )}
    </QueryView>
  )
}

function Lines({ proposal: { source_id, manifest, effects, compared, past } }: { proposal: Proposal }) {
  const [all, setAll] = useState(false)
  const silenced = effects.filter((effect) => effect.importance === 'low').length
  const figures = effects.filter((effect) => effect.figures.length > 0).length
  return (
    <>
      <p>
        For <InlineCode text={`\`scrape_config\` of \`${source_id}\``} />, once somebody has reviewed it. Nothing holds yet, and no text is hidden: such changes rank low.
      </p>
      <p className="[overflow-wrap:anywhere]">
        <code>{manifest}</code> <CopyButton value={manifest} what="manifest line" length={4} />
      </p>
      <p>
        Of the last {pluralize(compared, 'change')} above low importance of this source, <strong>{silenced.toLocaleString()} would rank low</strong>
        {effects.length > silenced && `, ${effects.length - silenced} lower than now`}
        {past > compared && `; ${past - compared} older ones were not compared`}.
      </p>
      {figures > 0 && <p className="text-warn">In {figures.toLocaleString()} of them figures, dates or citations changed. Read these first.</p>}
      <ul className="border-s-2 ps-3" aria-label="Past changes that would rank lower">
        {(all ? effects : effects.slice(0, FOLDED)).map((effect) => (
          <li key={effect.change_id} className="mb-1 [overflow-wrap:anywhere]">
            <Time at={effect.at} />: {effect.was} → {effect.importance}
            {effect.figures.length > 0 && <strong className="text-warn"> {effect.figures.map((sides) => sides.map((side) => side ?? 'none').join(' → ')).join(', ')}</strong>} · {effect.sentence}
          </li>
        ))}
      </ul>
      {effects.length > FOLDED && (
        <Button aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show first ${FOLDED}` : `Show all ${effects.length}`}
        </Button>
      )}
    </>
  )
}

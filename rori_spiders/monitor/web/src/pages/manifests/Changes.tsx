import { Badge, type Tone } from '@/components/feedback/Badge'
import { countEnded } from './Endings'
import type { Checked, SourceChange } from './types'

const TONES: Record<string, Tone> = { added: 'good', removed: 'bad', changed: 'new' }
const SHOWN = 100

/** What becomes of each source, field by field. */
export function Changes({ changes }: { changes: readonly SourceChange[] }) {
  if (!changes.length) return <p className="text-sm">No changes: the sources are the same as in the active version.</p>
  return (
    <>
      <ul className="grid gap-2">
        {changes.slice(0, SHOWN).map((change) => (
          <li key={change.source_id ?? ''} className="rounded-md border p-2 text-sm">
            <span className="font-mono [overflow-wrap:anywhere]">{change.source_id ?? 'Manifest'}</span> <Badge tone={TONES[change.kind] ?? 'idle'}>{change.kind}</Badge>
            {change.says && <p className="[overflow-wrap:anywhere]">{change.says}</p>}
            {change.fields.length > 0 && <Fields change={change} />}
          </li>
        ))}
      </ul>
      {changes.length > SHOWN && <p className="mt-2 text-sm">and {(changes.length - SHOWN).toLocaleString()} more</p>}
    </>
  )
}

function Fields({ change }: { change: SourceChange }) {
  return (
    <dl className="mt-1 grid gap-x-4 gap-y-1 sm:grid-cols-[max-content_1fr]">
      {change.fields.map(({ field, before, after }) => (
        <div key={field} className="contents">
          <dt className="font-mono text-quiet">{field}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">
            <Value value={before} absent="not set" gone /> → <Value value={after} absent="not set" />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value, absent, gone }: { value: unknown; absent: string; gone?: boolean }) {
  if (value === null || value === undefined) return <i className="text-quiet">{absent}</i>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return gone ? <del className="rounded-sm bg-bad-ground text-bad decoration-1">{text}</del> : <ins className="rounded-sm bg-good-ground text-good no-underline">{text}</ins>
}

/** What it does in a few words: "adds 2 sources, changes 1 source, and 199 sources are no longer collected". */
export function changesInWords({ difference: changes, ending }: Checked): string {
  const verbs = [
    ['added', 'adds'],
    ['changed', 'changes'],
    ['removed', 'removes'],
  ] as const
  const said = verbs.flatMap(([kind, verb]) => {
    const many = changes.filter((change) => change.kind === kind && change.source_id !== null).length
    return many ? [`${verb} ${many.toLocaleString()} ${many === 1 ? 'source' : 'sources'}`] : []
  })
  const ended = countEnded(ending)
  const does = said.join(', ') || 'changes no source'
  return ended ? `${does}, and ${ended.toLocaleString()} ${ended === 1 ? 'source is' : 'sources are'} no longer collected` : does
}

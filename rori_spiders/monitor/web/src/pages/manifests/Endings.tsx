import { FileLink } from '@/components/data/SafeLink'
import type { Checked } from './types'

type Ending = Checked['ending']

/** How many sources would no longer be collected; null where that is not known. */
export function countEnded(ending: Ending): number | null {
  return ending && ending.reduce((sum, one) => sum + one.sources_in_all, 0)
}

/** What would no longer be collected, by count and by name: nobody activates without having had it before their eyes. */
export function Endings({ ending }: { ending: Ending }) {
  if (ending === null) return <p className={WARNING}>The active manifest is not valid in this version of the collector, so removed sources cannot be listed.</p>
  if (!ending.length) return null
  const many = countEnded(ending) ?? 0
  return (
    <section aria-label="No longer collected" className={WARNING}>
      <h3 className="font-semibold">
        {many.toLocaleString()} {many === 1 ? 'source is' : 'sources are'} no longer collected
      </h3>
      {ending.map((one) => (
        <One key={one.name} one={one} />
      ))}
    </section>
  )
}

const WARNING = 'rounded-md border border-warn bg-warn-ground p-3 text-sm text-warn'

function One({ one }: { one: NonNullable<Ending>[number] }) {
  const more = one.sources_in_all - one.source_ids.length
  return (
    <div className="mt-1 [overflow-wrap:anywhere]">
      <p>
        {one.whole ? `${one.name}, entirely` : `From ${one.name}`} ({one.sources_in_all.toLocaleString()}):
      </p>
      {/* It scrolls, so the keyboard must reach it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div role="group" aria-label={`Sources of ${one.name}`} tabIndex={0} className="mt-1 max-h-32 overflow-y-auto">
        <ul className="flex flex-wrap gap-x-4 font-mono text-xs">
          {one.source_ids.map((id) => (
            <li key={id}>{id}</li>
          ))}
          {more > 0 && <li>and {more.toLocaleString()} more</li>}
        </ul>
      </div>
      {one.whole && one.packaged && (
        <p className="mt-2">
          {one.name} ships with the collector and is active only until another manifest is activated. To keep collecting it,{' '}
          <FileLink path={`/api/v1/manifests/${encodeURIComponent(one.name)}/text`} download className="underline">
            download it
          </FileLink>{' '}
          and activate it first.
        </p>
      )}
    </div>
  )
}

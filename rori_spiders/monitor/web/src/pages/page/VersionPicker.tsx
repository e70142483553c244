import { useId } from 'react'
import type { Schemas } from '@/api/types'
import { formatTime } from '@/lib/dates'
import { useNow } from '@/components/data/Time'

/** One of the versions of a page, by number and time. */
export function VersionPicker({ label, versions, value, pick }: { label: string; versions: readonly Schemas['VersionRow'][]; value: string | undefined; pick: (id: string) => void }) {
  const now = useNow()
  const id = useId() // a label around it would be named by its options too
  return (
    <div className="grid gap-0.5 text-xs font-medium text-quiet">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => pick(event.target.value)} className="min-h-8 rounded-md border border-edge bg-card px-2 py-1 text-sm text-ink">
        {versions.map((version) => (
          <option key={version.version_id} value={version.version_id}>
            {version.version}: {formatTime(version.captured_at, now)}
          </option>
        ))}
      </select>
    </div>
  )
}

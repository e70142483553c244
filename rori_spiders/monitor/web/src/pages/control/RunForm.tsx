import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { Card } from '@/components/layout/Card'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { ErrorMessage } from '@/components/feedback/states'
import { CategoryPicker, type Category } from './CategoryPicker'
import { SourcePicker } from './SourcePicker'
import { QueueResult } from './QueueResult'

const WAYS = [
  ['sources', 'By source'],
  ['category', 'By category'],
  ['all_due', 'All due sources'],
] as const
type Way = (typeof WAYS)[number][0]

/** Queues runs: of sources that are picked, of a category, or of all that are due. */
export function RunForm() {
  const [way, setWay] = useState<Way>('sources')
  const [sources, setSources] = useState<string[]>([])
  const [category, setCategory] = useState<Category>()
  const [asked, setAsked] = useState(false)
  const run = useAction(
    () => unwrap(api.POST('/api/v1/jobs', { body: way === 'sources' ? { sources } : way === 'category' ? { category } : { all_due: true } })),
    () => setSources([]),
  )
  const ready = way === 'all_due' || (way === 'sources' ? sources.length > 0 : category !== undefined)
  const what = way === 'all_due' ? 'all due sources' : way === 'category' ? `category ${category ?? ''}` : sources.length === 1 ? (sources[0] ?? '') : `${sources.length} sources`
  return (
    <Card title="Run now">
      <fieldset className="mb-3 flex flex-wrap gap-x-5 gap-y-2 text-sm">
        <legend className="sr-only">What to run</legend>
        {WAYS.map(([name, label]) => (
          <label key={name} className="flex items-center gap-1.5">
            <input type="radio" name="way" checked={way === name} onChange={() => setWay(name)} />
            {label}
          </label>
        ))}
      </fieldset>
      {way === 'sources' && <SourcePicker picked={sources} pick={setSources} />}
      {way === 'category' && <CategoryPicker value={category} pick={setCategory} />}
      <Button kind="main" className="mt-3" disabled={!ready || run.isPending} onClick={() => setAsked(true)}>
        Run …
      </Button>
      {run.isError && <ErrorMessage error={run.error} />}
      {run.data && <QueueResult found={run.data} />}
      <ConfirmDialog title={`Run ${what}?`} open={asked} close={() => setAsked(false)} act={() => run.mutate(undefined, { onSettled: () => setAsked(false) })} busy={run.isPending} does="Run">
        <p className="text-sm">
          The job starts when a node is free; request delays from the manifest apply. Sources that are paused or already running are skipped and listed.
        </p>
      </ConfirmDialog>
    </Card>
  )
}

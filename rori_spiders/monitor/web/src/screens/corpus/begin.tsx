import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { answer, api } from '@/api/client'
import { Button } from '@/parts/button'
import { Card } from '@/parts/card'
import { useDeed } from '@/parts/deed'
import { Field } from '@/parts/field'
import { Trouble } from '@/parts/states'
import { say } from '@/parts/toast'

/** Begins a run of a domain: of all its sources, else of the site itself. */
export function Begin({ others, domain: fixed }: { others: readonly string[]; domain?: string }) {
  const [domain, setDomain] = useState(fixed ?? '')
  const list = useId()
  const navigate = useNavigate()
  const begin = useDeed(
    () => answer(api.POST('/api/corpus/runs', { body: { domain: domain.trim().toLowerCase(), sources: [] } })),
    (run) => {
      say(`The run of ${run.domain} has begun.`)
      void navigate({ to: '/corpus/runs/$runId', params: { runId: run.run_id } })
    },
  )
  return (
    <div className="mt-4">
      <Card title="Begin a run">
        <form
          className="flex flex-wrap items-end gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            begin.mutate()
          }}
        >
          {fixed === undefined && (
            <div className="w-full max-w-sm">
              <Field label="Domain" required list={list} maxLength={253} value={domain} autoCapitalize="none" spellCheck={false} hint="Of sources in the manifest, or any other site" onChange={(event) => setDomain(event.target.value)} />
              <datalist id={list}>
                {others.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </div>
          )}
          <Button type="submit" kind="main" className={fixed === undefined ? 'mb-9 max-md:mb-0' : ''} disabled={begin.isPending}>
            {fixed === undefined ? 'Begin' : `Begin a run of ${fixed}`}
          </Button>
        </form>
        {begin.error ? <Trouble error={begin.error} /> : null}
        <p className="text-sm text-quiet">It is not published by itself: a person looks at it first.</p>
      </Card>
    </div>
  )
}

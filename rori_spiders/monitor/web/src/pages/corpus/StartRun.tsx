import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { Card } from '@/components/layout/Card'
import { useAction } from '@/components/forms/useAction'
import { Field } from '@/components/forms/Field'
import { ErrorMessage } from '@/components/feedback/states'
import { showToast } from '@/components/feedback/Toast'

/** Begins a run of a domain: of all its sources, else of the site itself. */
export function StartRun({ others, domain: fixed }: { others: readonly string[]; domain?: string }) {
  const [domain, setDomain] = useState(fixed ?? '')
  const list = useId()
  const navigate = useNavigate()
  const begin = useAction(
    () => unwrap(api.POST('/api/v1/corpus/runs', { body: { domain: domain.trim().toLowerCase(), sources: [] } })),
    (run) => {
      showToast(`Run of ${run.domain} started.`)
      void navigate({ to: '/corpus/runs/$runId', params: { runId: run.run_id } })
    },
  )
  return (
    <div className="mt-4">
      <Card title="Start a run">
        <form
          className="flex flex-wrap items-end gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            begin.mutate()
          }}
        >
          {fixed === undefined && (
            <div className="w-full max-w-sm">
              <Field label="Domain" required list={list} maxLength={253} value={domain} autoCapitalize="none" spellCheck={false} hint="A domain in the manifest, or any other site" onChange={(event) => setDomain(event.target.value)} />
              <datalist id={list}>
                {others.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </div>
          )}
          <Button type="submit" kind="main" className={fixed === undefined ? 'mb-9 max-md:mb-0' : ''} disabled={begin.isPending}>
            {fixed === undefined ? 'Start' : `Start a run of ${fixed}`}
          </Button>
        </form>
        {begin.error ? <ErrorMessage error={begin.error} /> : null}
        <p className="text-sm text-quiet">Runs are reviewed before they are published.</p>
      </Card>
    </div>
  )
}

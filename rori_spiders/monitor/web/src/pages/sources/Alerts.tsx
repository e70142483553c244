import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { StateBadge } from '@/components/feedback/Badge'
import { Button } from '@/components/forms/Button'
import { SafeLink } from '@/components/data/SafeLink'
import { InlineCode } from '@/components/data/InlineCode'
import { SourceLink } from '@/components/data/SourceLink'
import { ErrorMessage } from '@/components/feedback/states'
import { Time } from '@/components/data/Time'
import { alertsQuery, type Alert } from './queries'

const FIRST = 5

/** What asks for a person, the worst first. Nothing stands here when nothing does. */
export function Alerts() {
  const { data, error, refetch } = useQuery(alertsQuery)
  const [all, setAll] = useState(false)
  if (error && !data) return <ErrorMessage error={error} again={() => void refetch()} />
  if (!data?.items.length) return null
  const shown = all ? data.items : data.items.slice(0, FIRST)
  return (
    <section aria-labelledby="alerts" className="mb-6">
      <h2 id="alerts" className="mb-2 font-semibold">
        Open alerts <span className="font-normal text-quiet">({data.total})</span>
      </h2>
      <ul className="divide-y rounded-lg border bg-card">
        {shown.map((alert) => (
          <One key={alert.alert_id} alert={alert} />
        ))}
      </ul>
      {data.items.length > FIRST && (
        <Button className="mt-2" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show first ${FIRST}` : `Show all ${data.total}`}
        </Button>
      )}
    </section>
  )
}

function One({ alert: { severity, message, source_id, opened_at, pages, what_to_do } }: { alert: Alert }) {
  return (
    <li className="grid gap-x-3 gap-y-1 px-3 py-2 text-sm md:grid-cols-[5rem_1fr_auto]">
      <span>
        <StateBadge state={severity} />
      </span>
      <div className="min-w-0">
        <p className="[overflow-wrap:anywhere]">
          {source_id && (
            <>
              <SourceLink id={source_id} />:{' '}
            </>
          )}
          <InlineCode text={message} />
        </p>
        {what_to_do && (
          <p className="mt-0.5 text-quiet [overflow-wrap:anywhere]">
            <InlineCode text={what_to_do} />
          </p>
        )}
        {pages.length > 0 && (
          <details className="mt-0.5">
            <summary className="text-quiet">{pages.length === 1 ? '1 page' : `${pages.length} pages`}</summary>
            <ul className="mt-1 grid gap-0.5 ps-3">
              {pages.map((page) => (
                <li key={page}>
                  <SafeLink url={page} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <span className="text-quiet">
        <Time at={opened_at} relative />
      </span>
    </li>
  )
}

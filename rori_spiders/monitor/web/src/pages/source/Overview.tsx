import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { pluralize } from '@/lib/pluralize'
import { Facts } from '@/components/data/Facts'
import { InlineCode } from '@/components/data/InlineCode'
import { Time } from '@/components/data/Time'
import { PlainText } from '@/texts/PlainText'
import { Alerts } from './Alerts'
import { PaceCard } from './PaceCard'
import { Review } from './Review'

type Source = Schemas['SourceDetail']

/** Read a source in detail. */
export function Overview({ source }: { source: Source }) {
  const others = source.alerts.filter((alert) => !source.review.some((item) => item.event === alert.event))
  return (
    <>
      {others.length > 0 && <Alerts alerts={others} />}
      {source.review.length > 0 && <Review items={source.review} />}
      <div className="grid items-start gap-x-4 lg:grid-cols-2">
        <div>
          <Card title="Schedule">
            <ul className="grid gap-1 text-sm">
              {source.explain.map((line, place) => (
                <li key={place} className="whitespace-pre-wrap [overflow-wrap:anywhere]">
                  <InlineCode text={line} />
                </li>
              ))}
            </ul>
          </Card>
          <PaceCard pace={source.politeness} />
        </div>
        <div>
          <Card title="Facts">
            <Facts facts={facts(source)} />
          </Card>
          <TierCard source={source} />
        </div>
      </div>
      <Card title="Manifest entry">
        <PlainText text={JSON.stringify(source.fields, null, 2)} label="Manifest entry as JSON" />
      </Card>
    </>
  )
}

function facts(source: Source) {
  const { last_run: run } = source
  return [
    ['ID', <code key="id">{source.id}</code>],
    ['Agency', source.agency],
    ['Category', source.category],
    ['Domain', source.domain],
    ['Citation', source.citation],
    ['Method', source.method],
    ['Interval', source.interval],
    ['Pages', source.pages.toLocaleString()],
    ['Next due', source.next_due && <Time key="due" at={source.next_due} />],
    ['Last checked', <Time key="checked" at={source.last_checked_at} none="never" />],
    ['Last changed', <Time key="changed" at={source.last_changed_at} none="never" />],
    ['Consecutive failures', source.failures_in_row > 0 && source.failures_in_row],
    [
      'Last run',
      run && (
        <Link key="run" to="/runs/$runId" params={{ runId: run.run_id }} className="text-accent underline">
          {run.outcome}
        </Link>
      ),
    ],
    ['Manifest', `${source.manifest.name}, version ${source.manifest.version}, from ${source.manifest.origin}`],
  ] as const
}

function TierCard({ source }: { source: Source }) {
  return (
    <Card title="Tiers">
      <Facts
        facts={[
          ['Order', source.tiers.join(', ')],
          ['Used in the last run', source.tiers_used.map((use) => `${use.tier}: ${pluralize(use.pages, 'page')}`).join(', ')],
          ...source.tiers_remembered.map((one) => [one.template, one.tier] as const),
        ]}
      />
    </Card>
  )
}

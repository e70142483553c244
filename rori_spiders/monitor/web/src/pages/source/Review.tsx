import type { Schemas } from '@/api/types'
import { StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { SafeLink } from '@/components/data/SafeLink'
import { InlineCode } from '@/components/data/InlineCode'
import { Time } from '@/components/data/Time'

const SHOWN = 20

/** A review item: what happened and what to do. */
export function Review({ items }: { items: readonly Schemas['ReviewItem'][] }) {
  return (
    <Card title="Needs review">
      <ul className="grid gap-4 text-sm">
        {items.map((item, place) => (
          <li key={place} className="[overflow-wrap:anywhere]">
            <p>
              <StateBadge state={item.severity} /> <b className="font-semibold">{item.event.replaceAll('_', ' ')}</b>, since <Time at={item.since} />: {item.message}
            </p>
            <p className="mt-1 text-quiet">
              <InlineCode text={item.to_do} />
            </p>
            <ul className="mt-1 grid gap-1">
              {item.pages.slice(0, SHOWN).map((page) => (
                <li key={page.url}>
                  <SafeLink url={page.url} /> {page.reason}
                </li>
              ))}
              {item.pages.length > SHOWN && <li>and {(item.pages.length - SHOWN).toLocaleString()} more</li>}
            </ul>
          </li>
        ))}
      </ul>
    </Card>
  )
}

import type { Schemas } from '@/api/types'
import { StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { Time } from '@/components/data/Time'

/** The open alerts of a source. */
export function Alerts({ alerts }: { alerts: readonly Schemas['Alert'][] }) {
  return (
    <Card title="Open alerts">
      <ul className="grid gap-2 text-sm">
        {alerts.map((alert) => (
          <li key={alert.alert_id} className="[overflow-wrap:anywhere]">
            <StateBadge state={alert.severity} /> <b className="font-semibold">{alert.event.replaceAll('_', ' ')}</b>, since <Time at={alert.opened_at} />: {alert.message}
            {alert.what_to_do && <p className="mt-0.5 text-quiet">{alert.what_to_do}</p>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

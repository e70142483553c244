import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { Time } from '@/components/data/Time'

/** What the source's servers get. */
export function PaceCard({ pace }: { pace: Schemas['Politeness'] }) {
  const seconds = (value: number | null) => value !== null && `${value.toLocaleString()} s`
  // Whoever asks for most is heard.
  const kept = Math.max(pace.delay_s, pace.delay_asked_s ?? 0, pace.delay_throttled_s ?? 0)
  return (
    <Card title="Politeness">
      <Facts
        facts={[
          ['Servers', pace.group],
          ['Delay between requests', seconds(kept)],
          ['Delay in the manifest', kept !== pace.delay_s && seconds(pace.delay_s)],
          ['Crawl-delay (robots.txt)', seconds(pace.delay_asked_s)],
          ['Throttled to', seconds(pace.delay_throttled_s)],
          ['Concurrent requests', pace.at_once],
          ['Last request', <Time key="last" at={pace.last_request_at} none="none yet" />],
          ['Cooling down until', pace.waits_until && <Time key="waits" at={pace.waits_until} />],
          ['Locked by', pace.held_by],
        ]}
      />
    </Card>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { QueryView } from '@/components/feedback/QueryView'
import { ErrorMessage } from '@/components/feedback/states'
import { showToast } from '@/components/feedback/Toast'
import { Button } from '@/components/forms/Button'
import { Field } from '@/components/forms/Field'
import { Select } from '@/components/forms/filters'
import { useAction } from '@/components/forms/useAction'
import { addSubscription, endSubscription, subscriptionsQuery, type OwnSubscription, type SubscriptionOrder } from './queries'
import { ShownOnce } from './ShownOnce'

const SCHEDULES = { feed: 'Feed', watch: 'Watch list', at_once: 'Message at once', daily: 'Daily digest', weekly: 'Weekly digest' } as const
type Schedule = SubscriptionOrder['schedule']
const LEVELS: [string, string][] = [
  ['high', 'High'],
  ['medium', 'Medium and high'],
]

/** Which changes this person gets, and how: listed, added, ended. */
export function Subscriptions({ mayAct }: { mayAct: boolean }) {
  const query = useQuery(subscriptionsQuery)
  const end = useAction(endSubscription, () => showToast('Subscription ended.'))
  const columns: Column<OwnSubscription>[] = [
    { key: 'changes', title: 'Changes', whole: true, cell: (row) => row.changes },
    { key: 'how', title: 'How', cell: (row) => `${SCHEDULES[row.schedule]}${row.send_to ? ` to ${row.send_to}` : ''}${row.high_at_once ? ', high at once' : ''}` },
    { key: 'sent', title: 'Last sent', cell: (row) => <Time at={row.sent_at} /> },
    { key: 'error', title: 'Problem', cell: (row) => row.error ?? '–' },
    {
      key: 'end',
      title: 'Action',
      cell: (row) => (
        <Button disabled={end.isPending} onClick={() => end.mutate(row.subscription_id)}>
          End<span className="sr-only"> subscription {row.subscription_id}</span>
        </Button>
      ),
    },
  ]
  return (
    <>
      {end.isError && <ErrorMessage error={end.error} />}
      <QueryView query={query} what="your subscriptions">
        {(rows) => (rows.length > 0 ? <Table caption="Your subscriptions" columns={columns} rows={rows} id={(row) => String(row.subscription_id)} /> : <p className="text-sm text-quiet">You get no changes yet.</p>)}
      </QueryView>
      <SubscriptionForm mayAct={mayAct} />
    </>
  )
}

function SubscriptionForm({ mayAct }: { mayAct: boolean }) {
  const [schedule, setSchedule] = useState<Schedule>('feed')
  const [sendTo, setSendTo] = useState('')
  const [source, setSource] = useState('')
  const [words, setWords] = useState('')
  const [importance, setImportance] = useState<string>()
  const [feed, setFeed] = useState<string | null>(null)
  const add = useAction(addSubscription, ({ feed_path }) => {
    setFeed(feed_path && location.origin + feed_path)
    showToast('Subscription added.')
  })
  const isSent = schedule !== 'feed' && schedule !== 'watch'
  const choices = Object.entries(SCHEDULES).filter(([word]) => mayAct || word === 'feed' || word === 'watch')
  return (
    <form
      className="mt-4 max-w-sm"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate({ schedule, send_to: isSent ? sendTo.trim() : null, high_at_once: false, sources: source.trim() ? [source.trim()] : [], kinds: [], importance: (importance ?? 'low') as 'low', words: words.trim() })
      }}
    >
      <h3 className="mb-2 font-semibold">Add a subscription</h3>
      {feed && <ShownOnce what="address of the feed" value={feed} />}
      <div className="mb-3">
        <Select label="How" value={schedule === 'feed' ? undefined : schedule} all="Feed, for a feed reader" options={choices.filter(([word]) => word !== 'feed')} pick={(word) => setSchedule((word ?? 'feed') as Schedule)} />
      </div>
      {schedule === 'watch' && <p className="mb-3 text-sm text-quiet">Its changes are yours (filter “Mine”) until somebody is assigned. Nothing is sent.</p>}
      {isSent && <Field label="Send to" required maxLength={200} value={sendTo} hint="An e-mail address, or a channel of RORI_ALERT_URLS." onChange={(event) => setSendTo(event.target.value)} />}
      <div className="mb-3">
        <Select label="Importance" value={importance} options={LEVELS} pick={setImportance} />
      </div>
      <Field label="Source (optional)" maxLength={200} value={source} hint="Its ID; without one, all sources." onChange={(event) => setSource(event.target.value)} />
      <Field label="Words (optional)" maxLength={200} value={words} hint="In URL or title." onChange={(event) => setWords(event.target.value)} />
      {add.isError && <ErrorMessage error={add.error} />}
      <Button type="submit" kind="main" disabled={add.isPending}>
        Subscribe
      </Button>
    </form>
  )
}

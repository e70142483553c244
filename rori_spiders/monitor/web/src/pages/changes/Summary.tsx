import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { Time } from '@/components/data/Time'
import { pluralize } from '@/lib/pluralize'
import { alertsQuery, statusCountsQuery } from '../sources/queries'
import { WeekChart } from './WeekChart'
import type { ChangeSummary } from './queries'

const LINK = 'text-accent underline decoration-line underline-offset-2 hover:decoration-current'

/** What else a reader should know before reading: whether sources can be trusted to be current, and how much comes. */
export function Summary({ summary: { oldest_open_at, overdue, unread, weeks }, mayAct }: { summary: ChangeSummary; mayAct: boolean }) {
  const alerts = useQuery(alertsQuery).data
  const statuses = Object.entries(useQuery(statusCountsQuery).data ?? {}).filter(([, number]) => number > 0)
  return (
    <aside aria-label="Summary" className="flex flex-wrap gap-x-6 gap-y-1 rounded-lg border bg-card px-4 py-3 text-sm max-md:gap-x-3 max-md:border-0 max-md:bg-transparent max-md:p-0 max-md:text-xs lg:block lg:self-start [&>*+*]:lg:mt-4">
      <div className="max-md:contents">
        <h2 className="font-semibold max-lg:sr-only">Sources</h2>
        <ul className="flex flex-wrap gap-x-3">
          {statuses.map(([status, number]) => (
            <li key={status}>
              <Link to="/sources" search={{ status }} className={LINK}>
                {number.toLocaleString()} {status}
              </Link>
            </li>
          ))}
        </ul>
        {alerts !== undefined && alerts.total > 0 && (
          <Link to="/sources" className={`${LINK} font-semibold`}>
            {pluralize(alerts.total, 'open alert')}
          </Link>
        )}
      </div>
      <div className="max-md:contents">
        <h2 className="font-semibold max-lg:sr-only">Oldest unreviewed</h2>
        <p>
          <span className="text-quiet md:hidden">Oldest: </span>
          <span className="text-quiet max-md:hidden lg:hidden">Oldest unreviewed: </span>
          <Time at={oldest_open_at} relative none="none" />
        </p>
        {unread > 0 && (
          <>
            <Link to="/" search={{ assigned: 'unread' }} className={LINK}>
              {unread.toLocaleString()} unread
            </Link>{' '}
          </>
        )}
        {overdue > 0 && (
          <Link to="/" search={{ assigned: 'overdue' }} className={`${LINK} font-semibold`}>
            {overdue.toLocaleString()} overdue
          </Link>
        )}
      </div>
      <div className="max-lg:hidden">
        <h2 className="font-semibold">Changes per week</h2>
        <WeekChart weeks={weeks} />
      </div>
      <div className="max-lg:hidden">
        <h2 className="font-semibold">Keys</h2>
        <p className="text-quiet">
          <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>o</kbd> difference, <kbd>r</kbd> read{mayAct && <>, <kbd>a</kbd> material, <kbd>e</kbd> not material, <kbd>s</kbd> assign, <kbd>u</kbd> undo</>}
        </p>
      </div>
    </aside>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { refetch } from '@/api/refetch'
import { activityQuery, type Activity } from './queries'

const POLLED_MS = 5_000

/** What goes on, sent by the server as it happens; asked for every 5 seconds where a proxy lets no events through. */
export function useActivity() {
  const queries = useQueryClient()
  const [isStreaming, setStreaming] = useState(false)
  useEffect(() => {
    const events = new EventSource('/api/v1/activity/events')
    const take = (event: MessageEvent<string>) => {
      const before = queries.getQueryData<Activity>(activityQuery.queryKey)
      const now = JSON.parse(event.data) as Activity
      queries.setQueryData(activityQuery.queryKey, now)
      setStreaming(true)
      if (before && runs(before) !== runs(now)) {
        void refetch(queries, { queryKey: ['sources'] })
        void refetch(queries, { queryKey: ['alerts'] })
      }
    }
    events.addEventListener('activity', take)
    events.addEventListener('error', () => setStreaming(false))
    return () => events.close()
  }, [queries])
  return useQuery({ ...activityQuery, refetchInterval: isStreaming ? false : POLLED_MS })
}

/** Which runs are open, as text to be compared. */
function runs(activity: Activity): string {
  return activity.running.flatMap((job) => job.runs.map((run) => run.run_id)).join()
}

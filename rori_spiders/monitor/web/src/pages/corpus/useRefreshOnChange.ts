import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { refetch } from '@/api/refetch'
import type { Run } from './types'

/** Asks for all of a run anew when it has come into another state: what is shown is what a machine has left of it. */
export function useRefreshOnChange(run: Run | undefined): void {
  const client = useQueryClient()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (!run) return
    const now = `${run.run_id} ${run.state}`
    if (known.current !== undefined && known.current !== now) void refetch(client, { queryKey: ['corpus run', run.run_id] })
    known.current = now
  }, [client, run])
}

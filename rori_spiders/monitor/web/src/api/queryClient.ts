import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './errors'

/**
 * One cache for the page. A refusal is an answer, not asked again; a lost connection or a busy ledger is, twice.
 * It asks whatever the browser thinks of the network: the monitor may be on this very machine, and who waits must be told.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status === 503),
    },
  },
})

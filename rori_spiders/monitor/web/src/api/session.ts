import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { setProgram } from '@/lib/command'
import { unwrap, api, setCsrfToken } from './client'

/** Who is signed in, and what this instance is. Asked once, before anything is shown. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await unwrap(api.GET('/api/v1/session', { signal }))
    setCsrfToken(session.csrf)
    setProgram(session.program)
    return session
  },
  staleTime: Infinity,
})

export function useSession() {
  return useSuspenseQuery(sessionQuery).data
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refetch } from '@/api/refetch'

/** Something that a person does: once it is `done`, all that is shown is asked for anew. */
export function useAction<Given = void, Found = unknown>(act: (given: Given) => Promise<Found>, done: (found: Found, given: Given) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (found: Found, given: Given) => {
      done(found, given)
      void refetch(queries)
    },
  })
}

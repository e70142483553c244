import { useMutation, useQueryClient, type QueryFilters } from '@tanstack/react-query'
import { refetch } from '@/api/refetch'

/** Something that a person does: once it is `done`, all that is shown is asked for anew; or what it *changes*, if that is known. */
export function useAction<Given = void, Found = unknown>(act: (given: Given) => Promise<Found>, done: (found: Found, given: Given) => void, changes?: QueryFilters) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (found: Found, given: Given) => {
      done(found, given)
      void refetch(queries, changes)
    },
  })
}

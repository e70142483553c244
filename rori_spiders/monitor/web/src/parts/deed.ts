import { useMutation, useQueryClient } from '@tanstack/react-query'

/** Something that a person does: once it is `done`, all that is shown is asked for anew. */
export function useDeed<Given = void, Found = unknown>(act: (given: Given) => Promise<Found>, done: (found: Found) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (found: Found) => {
      done(found)
      void queries.invalidateQueries()
    },
  })
}

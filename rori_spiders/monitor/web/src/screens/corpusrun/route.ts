import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const corpusRunRoute = createRoute({
  getParentRoute: () => root,
  path: '/corpus/runs/$runId',
  validateSearch: keeping('section', 'show', 'q', 'offset'),
  component: lazyRouteComponent(() => import('./screen'), 'CorpusRunScreen'),
})

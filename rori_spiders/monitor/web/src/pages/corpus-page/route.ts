import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const corpusPageRoute = createRoute({
  getParentRoute: () => root,
  path: '/corpus/runs/$runId/pages/$pageId',
  validateSearch: keepParams('section', 'show', 'q', 'offset', 'tab', 'how', 'left', 'right'),
  component: lazyRouteComponent(() => import('./Screen'), 'CorpusPageScreen'),
})

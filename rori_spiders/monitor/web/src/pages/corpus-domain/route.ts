import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'

export const corpusDomainRoute = createRoute({
  getParentRoute: () => root,
  path: '/corpus/$domain',
  component: lazyRouteComponent(() => import('./Screen'), 'CorpusOfDomain'),
})

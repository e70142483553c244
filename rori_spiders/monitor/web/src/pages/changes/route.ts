import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const changesRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: keepParams('q', 'source', 'kind', 'importance', 'review', 'assigned', 'since', 'until', 'order'),
  component: lazyRouteComponent(() => import('./Screen'), 'Changes'),
})

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const errorsRoute = createRoute({
  getParentRoute: () => root,
  path: '/errors',
  validateSearch: keepParams('q', 'source', 'verdict', 'status', 'severity', 'tier', 'resolved', 'since', 'until', 'sort', 'view'),
  component: lazyRouteComponent(() => import('./Screen'), 'Errors'),
})

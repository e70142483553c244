import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const errorsRoute = createRoute({
  getParentRoute: () => root,
  path: '/errors',
  validateSearch: keeping('q', 'source', 'verdict', 'status', 'severity', 'tier', 'resolved', 'since', 'until', 'sort'),
  component: lazyRouteComponent(() => import('./screen'), 'Errors'),
})

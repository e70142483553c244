import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'

export const failureRoute = createRoute({
  getParentRoute: () => root,
  path: '/failures/$auditId',
  component: lazyRouteComponent(() => import('./Screen'), 'Failure'),
})

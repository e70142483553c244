import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'

export const errorsRoute = createRoute({
  getParentRoute: () => root,
  path: '/errors',
  component: lazyRouteComponent(() => import('./screen'), 'Errors'),
})

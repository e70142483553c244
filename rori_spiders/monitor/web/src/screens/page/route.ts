import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const pageRoute = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageId',
  validateSearch: keeping('tab', 'version', 'from', 'to', 'how'),
  component: lazyRouteComponent(() => import('./screen'), 'Page'),
})

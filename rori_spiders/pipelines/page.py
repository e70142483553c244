"""The item pipeline of pages: convert, compare, stage, record; and what others see of its `PageItem` through
`itemadapter`: the fields of its envelope, as staged; none where none was.
"""

from collections import deque
from collections.abc import Iterator, KeysView
from typing import Any, Never, cast

from itemadapter.adapter import AdapterInterface, ItemAdapter
from scrapy.crawler import Crawler

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.page.flow import PageFlow
from rori_spiders.envelope import Envelope
from rori_spiders.items import PageItem


class PageItemAdapter(AdapterInterface):
    """Read only: an envelope does not change. Bytes are in the staging area, under the hash in ``integrity``."""

    item: PageItem

    def __init__(self, item: PageItem) -> None:
        super().__init__(item)
        self._fields: dict[str, Any] = {} if item.envelope is None else item.envelope.model_dump(mode="json")

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        return issubclass(item_class, PageItem)

    @classmethod
    def get_field_names_from_class(cls, item_class: type) -> list[str]:
        return list(Envelope.model_fields)

    def field_names(self) -> KeysView[str]:
        return dict.fromkeys(Envelope.model_fields).keys()

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __setitem__(self, name: str, value: Any) -> Never:
        raise TypeError(f"{name}: the item is a staged envelope, which does not change")

    def __delitem__(self, name: str) -> Never:
        raise TypeError(f"{name}: the item is a staged envelope, which does not change")


def register_adapter() -> None:
    """Have `itemadapter` use this adapter, before the one that it has for any dataclass."""
    adapters = cast("deque[type[AdapterInterface]]", ItemAdapter.ADAPTER_CLASSES)
    if PageItemAdapter not in adapters:
        adapters.appendleft(PageItemAdapter)


class PagePipeline(JobComponent):
    """One pipeline, not one a step: the steps of a page are called in one place, `PageFlow.process_item`."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._flow = PageFlow(crawler)
        register_adapter()

    async def process_item(self, item: PageItem) -> PageItem:
        return await self._flow.process_item(item)

"""The search engines that come with the product, beside the contract's own index."""
